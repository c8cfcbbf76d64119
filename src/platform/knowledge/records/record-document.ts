import { hash } from 'node:crypto'
import type { RedactValue } from '../../redaction/lazy-redactors.ts'
import { cutParts } from '../chunking/cut-lines.ts'
import { scanLines } from '../chunking/scan-lines.ts'
import type { Chunk } from '../knowledge.ts'

const DEPTH_MAX = 16
const LINES_MAX = 4_000
const LINE_MAX_CHARS = 10_000
const TITLE_MAX_CHARS = 200
/** Names under which records of all kinds say what they are. */
const TITLES = ['title', 'name', 'subject', 'summary', 'headline', 'label']

/** What the paths of all records begin with. */
export const RECORD_PREFIX = 'record:'

/** What the paths of a connection's records begin with. */
export function recordPrefixOf(connection_id: string): string {
  return `${RECORD_PREFIX}${connection_id}/`
}

/** A record by its names. */
export interface RecordName {
  readonly connection_id: string
  readonly stream: string
  readonly record_key: string
}

/** Where a record may be found: by its own key, and by a hash of it where the key has a secret in it. */
export function recordPathsOf({ connection_id, stream, record_key }: RecordName): [string, string] {
  const place = `${recordPrefixOf(connection_id)}${stream}/`
  return [`${place}${record_key}`, `${place}sha256:${hash('sha256', record_key)}`]
}

/** Where a record is found. */
export async function recordPathOf(redact: RedactValue, name: RecordName): Promise<string> {
  const [plain, hashed] = recordPathsOf(name)
  return (await redact(name.record_key)) === name.record_key ? plain : hashed
}

/** The chunks of a record, without secrets: each of its values on lines of its own, by name. */
export async function chunkRecord(redact: RedactValue, data: unknown): Promise<Chunk[]> {
  const lines: string[] = []
  addLines(lines, '', data, 0)
  const shown = String(await redact(lines.join('\n')))
  const scanned = scanLines(shown, undefined)
  return cutParts(scanned, [{ name: findTitle(shown.split('\n')), start: 0, end: scanned.count }], 'record')
}

function addLines(lines: string[], name: string, value: unknown, depth: number): void {
  if (value === null || value === undefined || lines.length >= LINES_MAX || depth > DEPTH_MAX) return
  if (typeof value !== 'object') return addText(lines, name, String(value))
  for (const [key, one] of Object.entries(value))
    addLines(lines, Array.isArray(value) ? name : name === '' ? key : `${name}.${key}`, one, depth + 1)
}

function addText(lines: string[], name: string, text: string): void {
  const parts = text
    .replaceAll('\0', ' ')
    .split(/\r\n|\n|\r/)
    .slice(0, LINES_MAX - lines.length)
    .map((line) => line.slice(0, LINE_MAX_CHARS))
  lines.push(`${name}: ${parts[0] ?? ''}`, ...parts.slice(1))
}

function findTitle(lines: readonly string[]): string {
  for (const title of TITLES) {
    const line = lines.find((one) => one.startsWith(`${title}: `))
    if (line) return line.slice(title.length + 2, title.length + 2 + TITLE_MAX_CHARS).trim()
  }
  return ''
}
