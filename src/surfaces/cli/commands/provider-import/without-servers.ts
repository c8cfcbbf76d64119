import { isDeepStrictEqual } from 'node:util'
import { parse as parseToml } from 'smol-toml'
import { UnmergeableFile } from '../../../../domains/control/clients/merge-settings.ts'
import { parseStrictJson } from '../../../../platform/basics/strict-json.ts'
import { type ClientFile, isTable } from './read-client-file.ts'

/** The text of a client's file without some of its servers; all else is as it was, or it is left alone. */
export function withoutServers({ text, format, key }: ClientFile, servers: readonly string[]): string {
  return format === 'toml' ? withoutTables(text, key, servers) : withoutEntries(text, key, servers)
}

function withoutEntries(text: string, key: string, servers: readonly string[]): string {
  let document: unknown
  try {
    document = parseStrictJson(text)
  } catch {
    throw new UnmergeableFile('It is not plain JSON; comments and repeated keys would be lost.')
  }
  if (!isTable(document) || !isTable(document[key])) throw new UnmergeableFile('It is not a JSON object.')
  const left = Object.entries(document[key]).filter(([name]) => !servers.includes(name))
  const indent = /^[ \t]+/m.exec(text)?.[0] ?? '  '
  return `${JSON.stringify({ ...document, [key]: Object.fromEntries(left) }, null, indent)}\n`
}

const HEADER = /^\s*\[\s*([^[\]]+?)\s*\]/

/** Takes the lines of each server's tables away, and has the outcome only if it says just that. */
function withoutTables(text: string, key: string, servers: readonly string[]): string {
  let isGone = false
  const lines = text.split('\n').filter((line) => {
    const name = HEADER.exec(line)?.[1]?.replace(/["'\s]/g, '')
    if (/^\s*\[/.test(line)) isGone = servers.some((server) => isOf(name ?? '', `${key}.${server}`))
    return !isGone
  })
  const left = lines.join('\n')
  if (saysJustThat(text, left, key, servers)) return left
  throw new UnmergeableFile(`Its servers are not written as tables of their own, such as [${key}.name].`)
}

function isOf(table: string, server: string): boolean {
  return table === server || table.startsWith(`${server}.`)
}

function saysJustThat(before: string, after: string, key: string, servers: readonly string[]): boolean {
  try {
    const was = structuredClone(parseToml(before)) as Record<string, Record<string, unknown>>
    const now = structuredClone(parseToml(after)) as Record<string, Record<string, unknown>>
    const table = { ...was[key] }
    for (const server of servers) delete table[server]
    return isDeepStrictEqual({ ...now, [key]: now[key] ?? {} }, { ...was, [key]: table })
  } catch {
    return false
  }
}
