import {
  type TomlTable as ParsedTable,
  type TomlValue as ParsedValue,
  parse,
  stringify,
  TomlError,
} from 'smol-toml'

/** A table of a TOML file. A map, so that a key such as `__proto__` is one like any other. */
export type TomlTable = Map<string, TomlValue>
export type TomlValue = string | TomlLiteral | TomlValue[] | TomlTable

/** A number, a date, true or false. */
export class TomlLiteral {
  readonly value: Exclude<ParsedValue, string | ParsedValue[] | ParsedTable>
  constructor(value: TomlLiteral['value']) {
    this.value = value
  }
}

/** A text that is no TOML. */
export class TomlFault extends Error {
  override readonly name = 'TomlFault'
}

const DEPTH_MAX = 16

/** Reads a TOML file, or throws a `TomlFault` with the line. */
export function readToml(bytes: Uint8Array): TomlTable {
  const text = decode(bytes)
  // TOML allows a byte order mark, but not every package manager takes it.
  if (text.startsWith('\ufeff')) throw new TomlFault('line 1 begins with a byte order mark')
  return tableOf(parseText(text), 0)
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new TomlFault('it is no UTF-8')
  }
}

function parseText(text: string): ParsedTable {
  try {
    return parse(text, { integersAsBigInt: true, maxDepth: DEPTH_MAX })
  } catch (error) {
    // The library's own words repeat the line, which may hold a secret.
    if (error instanceof TomlError) throw new TomlFault(`line ${error.line} cannot be read`)
    throw error
  }
}

function tableOf(table: ParsedTable, depth: number): TomlTable {
  if (depth > DEPTH_MAX) throw new TomlFault('it is nested too deeply')
  return new Map(Object.entries(table).map(([key, value]) => [key, valueOf(value, depth + 1)]))
}

function valueOf(value: ParsedValue, depth: number): TomlValue {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map((item) => valueOf(item, depth))
  return isTable(value) ? tableOf(value, depth) : new TomlLiteral(value)
}

function isTable(value: ParsedValue): value is ParsedTable {
  return typeof value === 'object' && !(value instanceof Date)
}

/** Writes a table so that it says the same, whatever its form was. */
export function writeToml(table: TomlTable): string {
  return stringify(plainOf(table), { numbersAsFloat: true })
}

function plainOf(value: TomlValue): unknown {
  if (typeof value === 'string') return value
  if (value instanceof TomlLiteral) return value.value
  if (Array.isArray(value)) return value.map(plainOf)
  return Object.fromEntries([...value].map(([key, item]) => [key, plainOf(item)]))
}
