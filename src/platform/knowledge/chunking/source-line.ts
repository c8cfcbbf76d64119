import type { Language } from './code-languages.ts'

export const BLANK = 0
export const COMMENT = 1
export const CODE = 2
/** Begins inside a text that goes over several lines. */
export const INSIDE = 3

/** What closes a block of comments. */
const BLOCK_END = '*/'
/** Further on a line is not looked at: such lines are made by machines. */
const LINE_LIMIT = 4_000

/** What a line of a source is, by what was open before it. */
export function kindOfLine(line: string, open: string, language: Language): number {
  const start = findStart(line)
  if (open === BLOCK_END) return COMMENT
  if (open !== '') return INSIDE
  if (start === line.length || line.trim() === '') return BLANK
  for (const mark of language.line_comments)
    if (line.startsWith(mark, start) && !line.startsWith('#[', start) && !line.startsWith('#!', start))
      return COMMENT
  if (!language.has_blocks || !line.startsWith('/*', start)) return CODE
  const end = line.indexOf(BLOCK_END, start)
  return end === -1 || line.slice(end + 2).trim() === '' ? COMMENT : CODE
}

/** What closes the comment or text that is still open at the end of a line. */
export function findOpen(line: string, open: string, language: Language): string {
  if (line.length > LINE_LIMIT) return open
  const start = findStart(line)
  let at = start
  if (open !== '') {
    const end = findClose(line, start, open)
    if (end === -1) return open
    at = end + open.length
  }
  return mayOpen(line, at, language) ? findOpening(line, at, language) : ''
}

function findStart(line: string): number {
  let at = 0
  while (at < line.length && (line.charCodeAt(at) === 32 || line.charCodeAt(at) === 9)) at++
  return at
}

function mayOpen(line: string, at: number, language: Language): boolean {
  if (language.has_blocks && line.includes('/*', at)) return true
  return language.long_quotes.some((quote) => line.includes(quote, at))
}

function findClose(line: string, start: number, close: string): number {
  let at = line.indexOf(close, start)
  if (close === BLOCK_END || close.startsWith('"#')) return at
  while (at > 0 && isEscaped(line, at, start)) at = line.indexOf(close, at + 1)
  return at
}

function isEscaped(line: string, at: number, start: number): boolean {
  let slashes = 0
  while (at - slashes > start && line[at - slashes - 1] === '\\') slashes++
  return slashes % 2 === 1
}

function findOpening(line: string, start: number, language: Language): string {
  for (let at = start; at < line.length; at++) {
    const raw = language.has_rust_texts ? rawTextAt(line, at) : undefined
    const opened = raw?.close ?? openedAt(line, at, language)
    if (opened !== undefined) {
      const end = raw ? line.indexOf(opened, at + raw.length) : findClose(line, at + opened.length, opened)
      if (end === -1) return opened
      at = end + opened.length - 1
    } else if (language.has_rust_texts && line[at] === "'") at = skipLetter(line, at)
    else if (language.line_comments.some((mark) => line.startsWith(mark, at))) return ''
    else if (line[at] === '"' || line[at] === "'") at = skipQuoted(line, at)
    else if (line[at] === '/' && isPattern(line, at)) at = skipPattern(line, at)
  }
  return ''
}

function openedAt(line: string, at: number, language: Language): string | undefined {
  if (language.has_blocks && line.startsWith('/*', at)) return BLOCK_END
  return language.long_quotes.find((quote) => line.startsWith(quote, at))
}

const RAW_TEXT = /r(#*)"/y

/** `r"…"` and `r#"…"#`: what closes it, and how long its beginning is. */
function rawTextAt(line: string, at: number): { close: string; length: number } | undefined {
  if (line[at] !== 'r' || /[\p{L}\p{N}_]/u.test((line[at - 1] ?? '').replace(/[bc]/, ''))) return undefined
  RAW_TEXT.lastIndex = at
  const found = RAW_TEXT.exec(line)
  return found ? { close: `"${found[1]}`, length: found[0].length } : undefined
}

const LETTER = /'(?:\\.[^']{0,8}|[^\\'])'/uy

/** A single letter in quotes; a lifetime has none at its end. */
function skipLetter(line: string, at: number): number {
  LETTER.lastIndex = at
  return at + Math.max(1, LETTER.exec(line)?.[0].length ?? 1) - 1
}

function skipQuoted(line: string, start: number): number {
  for (let at = start + 1; at < line.length; at++) {
    if (line[at] === '\\') at++
    else if (line[at] === line[start]) return at
  }
  // A lone mark, as in `don't` or a lifetime, hides nothing.
  return start
}

/** Whether a slash begins a regular expression: after what cannot end a value. */
function isPattern(line: string, at: number): boolean {
  const before = line.slice(Math.max(0, at - 10), at).trimEnd()
  return before === '' || /[(,=:[!&|?{};+]$|\breturn$/.test(before)
}

function skipPattern(line: string, start: number): number {
  let inClass = false
  for (let at = start + 1; at < line.length; at++) {
    const letter = line[at]
    if (letter === '\\') at++
    else if (letter === '[') inClass = true
    else if (letter === ']') inClass = false
    else if (letter === '/' && !inClass) return at
  }
  return start
}
