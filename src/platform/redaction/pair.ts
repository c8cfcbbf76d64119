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
