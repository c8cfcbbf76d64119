import { MARK_START, type Mark } from '../mark.ts'

/** A name and the value given to it on one line, as spans of the line. */
export interface Pair {
  name: string
  /** How the two are joined: `=` and `:` give, `=?` compares, `,` and `(` pass, `>` encloses, ` ` follows a flag. */
  by: '=' | ':' | '=?' | ',' | '(' | '>' | ' '
  start: number
  end: number
  isQuoted: boolean
}

/** Whether one of the three quotes stands at a place; asked for every value, so without a pattern. */
export function isQuote(line: string, at: number): boolean {
  const code = line.charCodeAt(at)
  return code === 34 || code === 39 || code === 96
}

/** Letters, digits and `_ - . $`, and whatever lies beyond ASCII. */
export function isNameCode(code: number): boolean {
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)) return true
  return code === 95 || code === 45 || code === 46 || code === 36 || code > 127
}

/** A mark reads like a name and a value, and its rule needs no judging. */
export function markPair([start, end]: Mark): Pair {
  return { name: 'REDACTED', by: ':', start: start + MARK_START.length, end: end - 1, isQuoted: false }
}
