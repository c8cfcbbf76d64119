import { hash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { createRequire } from 'node:module'
import type { z } from 'zod'
import { type FileIdentity, isSameFile } from '../basics/file-identity.ts'

// Most homes have no settings file, and a command line should not pay for a parser it does not use.
const require = createRequire(import.meta.url)
export const loadYaml = () => require('yaml') as typeof import('yaml')

/** What a settings file says now. `damaged` names what is wrong; then `value` is the safe default. */
export interface FileState<Value> {
  readonly value: Value
  /** Changes with the content: a call's audit record names the revision that decided it. */
  readonly revision: string
  readonly damaged: string | undefined
}

/** A file changed this recently may change again within the clock's grain: it is read again next time. */
const SETTLED_AFTER_MS = 100
/** No settings file is larger. */
export const SETTINGS_LIMIT_BYTES = 1_048_576
/** What an alias in YAML may multiply to. */
export const MAX_ALIASES = 20

/** Bytes that are no text are a fault, not a text with holes. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads a YAML document; an empty one says nothing. */
function parseYaml(text: string): unknown {
  return loadYaml().parse(text, { maxAliasCount: MAX_ALIASES, logLevel: 'error' }) ?? {}
}

/**
 * Follows a settings file, YAML unless told otherwise: an edit counts from the next call, and a damaged
 * file falls back to the safe default.
 */
export function watchFile<Value>(
  path: string,
  schema: z.ZodType<Value>,
  safe: Value,
  parse: (text: string) => unknown = parseYaml,
): () => FileState<Value> {
  const absent: FileState<Value> = { value: safe, revision: 'none', damaged: undefined }
  let known: { state: FileState<Value>; stats: FileIdentity } | undefined
  return () => {
    const stats = findStats(path)
    if (!stats) {
      known = undefined
      return absent
    }
    if (known && isSameFile(known.stats, stats)) return known.state
    const state = readState(path, (text) => schema.parse(parse(text)), safe)
    const settled = Date.now() - Math.max(stats.mtimeMs, stats.ctimeMs) > SETTLED_AFTER_MS
    known = settled ? { state, stats } : undefined
    return state
  }
}

/** What lies at the path itself: a link that leads nowhere is not an absent file. */
function findStats(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    // A folder that may not be entered is not an absent file: let the read fail and say so.
    const now = Date.now()
    return { ino: 0, size: 0, mtimeMs: now, ctimeMs: now } as Stats
  }
}

function readState<Value>(path: string, read: (text: string) => Value, safe: Value): FileState<Value> {
  let text = ''
  try {
    text = readPlainFile(path, SETTINGS_LIMIT_BYTES).text
    return { value: read(text), revision: revisionOf(text), damaged: undefined }
  } catch (error) {
    return { value: safe, revision: `damaged-${revisionOf(text)}`, damaged: `${path}: ${faultOf(error)}` }
  }
}

/**
 * The text of a plain file. Reading a pipe or a device could wait or go on for ever, and a link's target
 * is not ours to watch: what was opened is looked at, not what lay at the path a moment before.
 */
export function readPlainFile(path: string, limit_bytes: number): { text: string; stats: Stats } {
  const { bytes, stats } = readPlainBytes(path, limit_bytes)
  return { text: UTF8.decode(bytes), stats }
}

/** The same, whether it is text or not. */
export function readPlainBytes(path: string, limit_bytes: number): { bytes: Buffer; stats: Stats } {
  const file = openPlainFile(path)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw new Error('not a plain file')
    if (stats.size > limit_bytes) throw new Error(`larger than ${limit_bytes} bytes`)
    return { bytes: readFileSync(file), stats }
  } finally {
    closeSync(file)
  }
}

function openPlainFile(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw code === 'ELOOP' || code === 'ENXIO' ? new Error('not a plain file', { cause: error }) : error
  }
}

function revisionOf(text: string): string {
  return hash('sha256', text).slice(0, 12)
}

function faultOf(error: unknown): string {
  if (error instanceof Error && 'issues' in error) {
    const issue = (error as z.ZodError).issues[0]
    return `${issue?.path.join('.') || 'the document'}: ${issue?.message}`
  }
  return error instanceof Error
    ? (error.message.split('\n')[0]?.replace(/:$/, '') ?? 'unreadable')
    : 'unreadable'
}
