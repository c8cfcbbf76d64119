/** One line of meaning in a git configuration: `remote.origin.url` and what it is set to. */
export interface ConfigEntry {
  /** Section and key in lower case, the subsection between them as it is written. */
  readonly name: string
  /** Undefined where the key stands alone, which git reads as true. */
  readonly value: string | undefined
}

/** A configuration that git would not accept either. */
export class ConfigUnreadable extends Error {
  override readonly name = 'ConfigUnreadable'
  readonly line: number
  constructor(line: number) {
    super(`not a git configuration: line ${line}`)
    this.line = line
  }
}

const MAX_ENTRIES = 5_000
const HEADER = /\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]/y
const KEY = /([A-Za-z][A-Za-z0-9-]*)[ \t]*/y
const ESCAPED: Readonly<Record<string, string>> = { t: '\t', b: '\b', n: '\n', '\\': '\\', '"': '"' }

interface Cursor {
  readonly text: string
  at: number
}

/** Reads the text of a git configuration as git does, but follows no includes. */
export function parseGitConfig(raw: string): ConfigEntry[] {
  const cursor: Cursor = { text: raw.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'), at: 0 }
  const entries: ConfigEntry[] = []
  let section: string | undefined
  for (skipBlank(cursor); cursor.at < cursor.text.length; skipBlank(cursor)) {
    if (cursor.text[cursor.at] === '[') section = readHeader(cursor)
    else if (section === undefined || entries.length >= MAX_ENTRIES) throw unreadable(cursor)
    else entries.push(readEntry(cursor, section))
  }
  return entries
}

function skipBlank(cursor: Cursor): void {
  for (; cursor.at < cursor.text.length; cursor.at++) {
    const char = cursor.text[cursor.at] as string
    if (char === '#' || char === ';') cursor.at = endOfLine(cursor) - 1
    else if (!/[ \t\n\v\f\r]/.test(char)) return
  }
}

function endOfLine({ text, at }: Cursor): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

function readHeader(cursor: Cursor): string {
  const found = take(cursor, HEADER)
  const [, section = '', subsection] = found
  const lower = section.toLowerCase()
  return subsection === undefined ? lower : `${lower}.${subsection.replace(/\\([\s\S])/g, '$1')}`
}

function readEntry(cursor: Cursor, section: string): ConfigEntry {
  const [, key = ''] = take(cursor, KEY)
  const name = `${section}.${key.toLowerCase()}`
  const next = cursor.text[cursor.at]
  if (next === undefined || next === '\n') return { name, value: undefined }
  if (next !== '=') throw unreadable(cursor)
  cursor.at++
  return { name, value: readValue(cursor) }
}

function readValue(cursor: Cursor): string {
  const { text } = cursor
  let value = ''
  let isQuoted = false
  let pending = ''
  for (; cursor.at < text.length && text[cursor.at] !== '\n'; cursor.at++) {
    const char = text[cursor.at] as string
    if (!isQuoted && (char === '#' || char === ';')) {
      cursor.at = endOfLine(cursor)
      return value
    }
    if (!isQuoted && /[ \t\v\f\r]/.test(char)) {
      if (value !== '') pending += char
    } else if (char === '"') {
      isQuoted = !isQuoted
    } else {
      value += pending + (char === '\\' ? readEscape(cursor) : char)
      pending = ''
    }
  }
  if (isQuoted) throw unreadable(cursor)
  return value
}

/** The character meant by a backslash; an empty text where it joins two lines. */
function readEscape(cursor: Cursor): string {
  const next = cursor.text[++cursor.at]
  if (next === '\n' || next === undefined) return ''
  const meant = ESCAPED[next]
  if (meant === undefined) throw unreadable(cursor)
  return meant
}

function take(cursor: Cursor, pattern: RegExp): RegExpExecArray {
  pattern.lastIndex = cursor.at
  const found = pattern.exec(cursor.text)
  if (found === null) throw unreadable(cursor)
  cursor.at = pattern.lastIndex
  return found
}

function unreadable({ text, at }: Cursor): ConfigUnreadable {
  return new ConfigUnreadable(text.slice(0, at).split('\n').length)
}

/** Writes entries so that git reads exactly them; a value with a control character cannot be written. */
export function renderGitConfig(entries: readonly { name: string; value: string }[]): string {
  return entries.map(renderEntry).join('')
}

function renderEntry({ name, value }: { name: string; value: string }): string {
  const [first, last] = [name.indexOf('.'), name.lastIndexOf('.')]
  const section = name.slice(0, first)
  const header = first === last ? `[${section}]` : `[${section} ${quote(name.slice(first + 1, last))}]`
  return `${header}\n\t${name.slice(last + 1)} = ${quote(value)}\n`
}

function quote(text: string): string {
  if (/\p{Cc}/u.test(text)) throw new RangeError('a control character in a git configuration')
  return `"${text.replace(/[\\"]/g, '\\$&')}"`
}
