import { isDeepStrictEqual } from 'node:util'
import { parse, type TomlTable } from 'smol-toml'
import { isMap, parseDocument as parseYaml } from 'yaml'
import { parseStrictJson } from '../../../platform/basics/strict-json.ts'
import type { Settings } from './mcp-clients.ts'

const HEADER = /^\s*\[\s*([^[\]]+?)\s*\]\s*(#.*)?$/

/** Why a file is left alone. */
export class UnmergeableFile extends Error {
  override readonly name = 'UnmergeableFile'
}

export type FileFormat = 'json' | 'toml' | 'yaml'

/** The settings as the text of a whole file. */
export function renderSettings(settings: Settings, format: FileFormat): string {
  if (format === 'toml') return renderToml(settings)
  return format === 'json' ? `${JSON.stringify(settings, null, 2)}\n` : mergeYaml('', settings)
}

/** The file's text with the settings in it: our own entries are replaced, everything else stays. */
export function mergeSettings(text: string, settings: Settings, format: FileFormat): string {
  if (text.trim() === '') return renderSettings(settings, format)
  if (format === 'yaml') return mergeYaml(text, settings)
  return format === 'json' ? mergeJson(text, settings) : mergeToml(text, settings)
}

function mergeJson(text: string, settings: Settings): string {
  const document = parseDocument(text)
  for (const [key, wanted] of Object.entries(settings)) {
    const found = Object.hasOwn(document, key) ? document[key] : undefined
    document[key] = Array.isArray(wanted) ? mergeList(key, found, wanted) : mergeRecord(key, found, wanted)
  }
  const indent = /^[ \t]+/m.exec(text)?.[0] ?? '  '
  return `${JSON.stringify(document, null, indent)}\n`
}

/** Comments and order stay. */
function mergeYaml(text: string, settings: Settings): string {
  const document = parseYaml(text)
  if (document.errors.length > 0) throw new UnmergeableFile('It cannot be read as YAML.')
  if (document.contents !== null && !isMap(document.contents))
    throw new UnmergeableFile('It is not a table of settings.')
  for (const [key, entries] of Object.entries(settings)) {
    const found: unknown = document.get(key)
    if (found !== undefined && found !== null && !isMap(found))
      throw new UnmergeableFile(`Its ${key} is not a table.`)
    for (const [name, entry] of Object.entries(entries))
      document.setIn([key, name], document.createNode(entry))
  }
  return document.toString()
}

function parseDocument(text: string): Record<string, unknown> {
  try {
    const document = parseStrictJson(text)
    if (isRecord(document)) return document
  } catch {
    throw new UnmergeableFile('It is not plain JSON; comments and repeated keys would be lost.')
  }
  throw new UnmergeableFile('It is not a JSON object.')
}

function mergeRecord(key: string, found: unknown, wanted: object): object {
  if (found !== undefined && !isRecord(found)) throw new UnmergeableFile(`Its ${key} is not an object.`)
  return { ...found, ...wanted }
}

function mergeList(key: string, found: unknown, wanted: readonly { id: string }[]): unknown[] {
  if (found !== undefined && !Array.isArray(found)) throw new UnmergeableFile(`Its ${key} is not a list.`)
  const ids = new Set<unknown>(wanted.map(({ id }) => id))
  const others = (found ?? []).filter((item: unknown) => !isRecord(item) || !ids.has(item.id))
  return [...others, ...wanted]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function renderToml(settings: Settings): string {
  return tablesOf(settings)
    .map(({ name, lines }) => `[${name}]\n${lines.join('\n')}\n`)
    .join('\n')
}

interface Table {
  /** The key of the settings, and the name of the entry under it. */
  readonly at: readonly [key: string, entry: string]
  readonly name: string
  readonly values: object
  readonly lines: readonly string[]
}

// JSON's texts and lists of texts are also TOML's.
function tablesOf(settings: Settings): Table[] {
  return Object.entries(settings).flatMap(([key, entries]) =>
    Object.entries(entries).map(([entry, values]) => ({
      at: [key, entry] as const,
      name: `${key}.${entry}`,
      values: values as object,
      lines: Object.entries(values as object).map(([field, value]) => `${field} = ${JSON.stringify(value)}`),
    })),
  )
}

function mergeToml(text: string, settings: Settings): string {
  const isCrlf = text.includes('\r\n')
  const merged = tablesOf(settings).reduce(mergeTable, text.replaceAll('\r\n', '\n'))
  return isCrlf ? merged.replaceAll('\n', '\r\n') : merged
}

/** Changes the lines of one table, and takes the result only if it says what was meant and all else as before. */
function mergeTable(text: string, table: Table): string {
  const before = parseToml(text)
  if (!before) throw new UnmergeableFile('It cannot be read as TOML.')
  const merged = waysToMerge(text.split('\n'), table)
    .map((lines) => lines.join('\n'))
    .find((changed) => isMerged(before, parseToml(changed), table))
  if (merged !== undefined) return merged
  throw new UnmergeableFile(`It has ${table.name} written inline; write it as the table [${table.name}].`)
}

function parseToml(text: string): TomlTable | undefined {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/** In the place of each line that looks like the table's header, of which some may stand in texts; else at the end. */
function waysToMerge(lines: readonly string[], { name, lines: added }: Table): string[][] {
  const headers = [...lines.keys()].filter(
    (at) => HEADER.exec(lines[at] as string)?.[1]?.replace(/["'\s]/g, '') === name,
  )
  const kept = lines.at(-1) === '' ? lines.slice(0, -1) : lines
  return [
    ...headers.map((at) => [...lines.slice(0, at + 1), ...added, ...lines.slice(endOfTable(lines, at))]),
    [...kept, '', `[${name}]`, ...added, ''],
  ]
}

/** Where the next table begins; blank lines and comments right before it belong to it. */
function endOfTable(lines: readonly string[], header: number): number {
  const next = lines.findIndex((line, at) => at > header && /^\s*\[/.test(line))
  let end = next < 0 ? lines.length : next
  while (end > header + 1 && /^\s*(#.*)?$/.test(lines[end - 1] ?? '')) end--
  return end
}

/** Whether the entry has its new values, of its old ones nothing but tables of their own, and all else is as before. */
function isMerged(
  before: TomlTable,
  after: TomlTable | undefined,
  { at: [key, entry], values }: Table,
): boolean {
  const [old, now] = [before[key], after?.[key]]
  if (!isRecord(now) || !isRecord(now[entry])) return false
  const was = isRecord(old) ? old : {}
  const left = isRecord(was[entry]) ? was[entry] : {}
  const kept = Object.keys(now[entry]).filter((field) => !Object.hasOwn(values, field))
  const wanted = { ...Object.fromEntries(kept.map((field) => [field, left[field]])), ...values }
  const meant = { ...before, [key]: { ...was, [entry]: wanted } }
  // Cloned, since the parser's tables have another prototype.
  return isDeepStrictEqual(structuredClone(after), structuredClone(meant))
}
