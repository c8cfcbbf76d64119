/** A table of a TOML file. */
export type TomlTable = Map<string, TomlValue>
export type TomlValue = string | TomlLiteral | TomlValue[] | TomlTable

/** A number, a date, true or false, as it is written. */
export class TomlLiteral {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A text that this strict reader does not take for TOML. */
export class TomlFault extends Error {
  override readonly name = 'TomlFault'
}

interface Reading {
  readonly text: string
  at: number
  /** Tables and lists that are complete: in braces or brackets, or with a header of their own. */
  readonly closed: WeakSet<object>
  readonly table_lists: WeakSet<object>
}

const DEPTH_MAX = 16
const BLANK = /[ \t]*/y
const LINE_END = /[ \t]*(?:#[\t\u0020-\u007e\u0080-\u{10ffff}]*)?(?:\r?\n|$)/uy
const BETWEEN = /(?:[ \t]|#[\t\u0020-\u007e\u0080-\u{10ffff}]*(?=\r?\n)|\r?\n)*/uy
const BARE_KEY = /[A-Za-z0-9_-]+/y
const LITERAL =
  /true|false|\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?)?|0[xob][0-9a-fA-F_]+|[+-]?\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d[\d_]*)?|[+-]?(?:inf|nan)/y
const BASIC = /"((?:[^"\\\p{Cc}]|\t|\\.)*)"/uy
const PLAIN = /'((?:[^'\p{Cc}]|\t)*)'/uy
const LONG_BASIC = /"""(?:\r?\n)?((?:(?!""")(?:[^\\\p{Cc}]|[\t\n]|\r\n|\\(?:[^\r\n]|\r?\n)))*)"""(?!")/uy
const LONG_PLAIN = /'''(?:\r?\n)?((?:(?!''')(?:[^\p{Cc}]|[\t\n]|\r\n))*)'''(?!')/uy
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  '"': '"',
  '\\': '\\',
}

/**
 * Reads a TOML file, or throws. Where it is in doubt it does not read on: another reader might see something else
 * in the same text.
 */
export function readToml(bytes: Uint8Array): TomlTable {
  const reading: Reading = { text: decode(bytes), at: 0, closed: new WeakSet(), table_lists: new WeakSet() }
  const root: TomlTable = new Map()
  let table = root
  while (reading.at < reading.text.length) {
    if (take(reading, LINE_END) !== undefined) continue
    take(reading, BLANK)
    if (reading.text[reading.at] === '[') table = readHeader(reading, root)
    else readPair(reading, table, 0)
    if (take(reading, LINE_END) === undefined) throw fault(reading)
  }
  return root
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new TomlFault('it is no UTF-8')
  }
}

function take(reading: Reading, form: RegExp): RegExpExecArray | undefined {
  form.lastIndex = reading.at
  const match = form.exec(reading.text) ?? undefined
  if (match !== undefined) reading.at += match[0].length
  return match
}

function takeMark(reading: Reading, mark: string): boolean {
  const is_there = reading.text.startsWith(mark, reading.at)
  if (is_there) reading.at += mark.length
  return is_there
}

function fault({ text, at }: Reading, what = 'cannot be read'): TomlFault {
  return new TomlFault(`line ${text.slice(0, at).split('\n').length} ${what}`)
}

function readHeader(reading: Reading, root: TomlTable): TomlTable {
  const is_list = takeMark(reading, '[[')
  if (!is_list) takeMark(reading, '[')
  const path = readKey(reading)
  if (!takeMark(reading, is_list ? ']]' : ']')) throw fault(reading)
  const name = path.pop() ?? ''
  const holder = path.reduce((table, key) => enter(reading, table, key, true), root)
  if (!is_list) {
    const table = enter(reading, holder, name, false)
    if (reading.closed.has(table)) throw fault(reading, 'names a table for the second time')
    reading.closed.add(table)
    return table
  }
  return addToList(reading, holder, name)
}

function addToList(reading: Reading, holder: TomlTable, name: string): TomlTable {
  if (!holder.has(name)) {
    const list: TomlValue[] = []
    reading.table_lists.add(list)
    holder.set(name, list)
  }
  const list = holder.get(name)
  if (!Array.isArray(list) || !reading.table_lists.has(list))
    throw fault(reading, 'names something for the second time')
  const table: TomlTable = new Map()
  list.push(table)
  return table
}

function enter(reading: Reading, table: TomlTable, key: string, through_list: boolean): TomlTable {
  if (!table.has(key)) table.set(key, new Map())
  let next = table.get(key)
  if (through_list && Array.isArray(next) && reading.table_lists.has(next)) next = next.at(-1)
  if (next instanceof Map) return next
  throw fault(reading, `names ${JSON.stringify(key)} for the second time`)
}

function readPair(reading: Reading, table: TomlTable, depth: number): void {
  const path = readKey(reading)
  if (!takeMark(reading, '=')) throw fault(reading)
  take(reading, BLANK)
  const name = path.pop() ?? ''
  let holder = table
  for (const key of path) {
    holder = enter(reading, holder, key, false)
    if (reading.closed.has(holder)) throw fault(reading, `adds to ${JSON.stringify(key)}, which is complete`)
  }
  if (holder.has(name)) throw fault(reading, `names ${JSON.stringify(name)} for the second time`)
  holder.set(name, readValue(reading, depth))
}

function readKey(reading: Reading): string[] {
  const keys: string[] = []
  do {
    take(reading, BLANK)
    const key = take(reading, BARE_KEY)?.[0] ?? readShortText(reading)
    if (key === undefined) throw fault(reading)
    keys.push(key)
    if (keys.length > DEPTH_MAX) throw fault(reading, 'is nested too deeply')
    take(reading, BLANK)
  } while (takeMark(reading, '.'))
  return keys
}

function readValue(reading: Reading, depth: number): TomlValue {
  if (depth > DEPTH_MAX) throw fault(reading, 'is nested too deeply')
  if (takeMark(reading, '[')) return readList(reading, depth)
  if (takeMark(reading, '{')) return readInline(reading, depth)
  const text = readLongText(reading) ?? readShortText(reading)
  if (text !== undefined) return text
  const literal = take(reading, LITERAL)
  if (literal === undefined) throw fault(reading)
  return new TomlLiteral(literal[0])
}

function readList(reading: Reading, depth: number): TomlValue[] {
  const list: TomlValue[] = []
  for (;;) {
    take(reading, BETWEEN)
    if (takeMark(reading, ']')) return list
    list.push(readValue(reading, depth + 1))
    take(reading, BETWEEN)
    if (takeMark(reading, ']')) return list
    if (!takeMark(reading, ',')) throw fault(reading)
  }
}

function readInline(reading: Reading, depth: number): TomlTable {
  const table: TomlTable = new Map()
  reading.closed.add(table)
  take(reading, BLANK)
  if (takeMark(reading, '}')) return table
  do {
    readPair(reading, table, depth + 1)
    take(reading, BLANK)
  } while (takeMark(reading, ','))
  if (takeMark(reading, '}')) return table
  throw fault(reading)
}

function readShortText(reading: Reading): string | undefined {
  if (/^(?:"""|''')/.test(reading.text.slice(reading.at, reading.at + 3))) return undefined
  const basic = take(reading, BASIC)?.[1]
  return basic === undefined ? take(reading, PLAIN)?.[1] : unescape(reading, basic)
}

function readLongText(reading: Reading): string | undefined {
  const basic = take(reading, LONG_BASIC)?.[1]
  if (basic === undefined) return take(reading, LONG_PLAIN)?.[1]
  return unescape(
    reading,
    basic.replace(/(\\\\)|\\[ \t]*\r?\n\s*/g, (_all, kept?: string) => kept ?? ''),
  )
}

function unescape(reading: Reading, text: string): string {
  return text.replace(/\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[^])/g, (_all, escape: string) => {
    if (escape.length === 1) {
      if (!Object.hasOwn(ESCAPES, escape)) throw fault(reading, 'has an escape that is not known')
      return ESCAPES[escape] ?? ''
    }
    const code = Number.parseInt(escape.slice(1), 16)
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw fault(reading, 'has no character')
    return String.fromCodePoint(code)
  })
}

/** Writes a table so that it says the same, whatever its form was. */
export function writeToml(table: TomlTable): string {
  return [...table].map(([key, value]) => `${writeText(key)} = ${writeValue(value)}\n`).join('')
}

function writeValue(value: TomlValue): string {
  if (typeof value === 'string') return writeText(value)
  if (value instanceof TomlLiteral) return value.text
  if (Array.isArray(value)) return `[${value.map((item) => writeValue(item)).join(', ')}]`
  return `{${[...value].map(([key, item]) => `${writeText(key)} = ${writeValue(item)}`).join(', ')}}`
}

// JSON's escapes are all known to TOML, which wants one character more escaped.
function writeText(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f')
}
