import { parseStrictJson } from '../../platform/basics/strict-json.ts'
import type { Settings } from './mcp-clients.ts'
import { findTomlLines, type TomlLine } from './toml-lines.ts'

/** Why a file is left alone. */
export class UnmergeableFile extends Error {
  override readonly name = 'UnmergeableFile'
}

/** The settings as the text of a whole file. */
export function renderSettings(settings: Settings, format: 'json' | 'toml'): string {
  return format === 'json' ? `${JSON.stringify(settings, null, 2)}\n` : renderToml(settings)
}

/** The file's text with the settings in it: our own entries are replaced, everything else stays. */
export function mergeSettings(text: string, settings: Settings, format: 'json' | 'toml'): string {
  if (text.trim() === '') return renderSettings(settings, format)
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

// JSON's texts and lists of texts are also TOML's.
function tablesOf(settings: Settings): { name: string; lines: string[] }[] {
  return Object.entries(settings).flatMap(([key, entries]) =>
    Object.entries(entries).map(([name, values]) => ({
      name: `${key}.${name}`,
      lines: Object.entries(values as object).map(([field, value]) => `${field} = ${JSON.stringify(value)}`),
    })),
  )
}

function mergeToml(text: string, settings: Settings): string {
  const isCrlf = text.includes('\r\n')
  let lines = findTomlLines(text.replaceAll('\r\n', '\n'))
  if (!lines) throw new UnmergeableFile('It cannot be read as TOML.')
  for (const table of tablesOf(settings)) {
    checkNotInline(lines, table.name)
    lines = replaceTable(lines, table)
  }
  const merged = lines.map((line) => line.text).join('\n')
  return isCrlf ? merged.replaceAll('\n', '\r\n') : merged
}

/** The same entry written as `a.b = …` or `a = { b = … }` cannot be replaced line by line. */
function checkNotInline(lines: readonly TomlLine[], name: string): void {
  let table = ''
  for (const line of lines) {
    if (line.kind === 'header') table = line.name
    if (line.kind !== 'key' || table === name || table.startsWith(`${name}.`)) continue
    const full = table === '' ? line.name : `${table}.${line.name}`
    if (name === full || name.startsWith(`${full}.`) || full.startsWith(`${name}.`)) {
      throw new UnmergeableFile(`It has ${full} written inline; write it as the table [${name}].`)
    }
  }
}

function replaceTable(lines: readonly TomlLine[], table: { name: string; lines: string[] }): TomlLine[] {
  const added = table.lines.map((text): TomlLine => ({ text, kind: 'key', name: '' }))
  const at = lines.findIndex(({ kind, name }) => kind === 'header' && name === table.name)
  if (at >= 0) return [...lines.slice(0, at + 1), ...added, ...lines.slice(endOfTable(lines, at))]
  const header: TomlLine = { text: `[${table.name}]`, kind: 'header', name: table.name }
  const blank: TomlLine = { text: '', kind: 'other', name: '' }
  const kept = lines.at(-1)?.text === '' ? lines.slice(0, -1) : lines
  return [...kept, blank, header, ...added, blank]
}

/** Where the next table begins; blank lines and comments right before it belong to it. */
function endOfTable(lines: readonly TomlLine[], header: number): number {
  const next = lines.findIndex(({ kind }, at) => at > header && kind === 'header')
  let end = next < 0 ? lines.length : next
  while (end > header + 1 && /^\s*(#.*)?$/.test(lines[end - 1]?.text ?? '')) end--
  return end
}
