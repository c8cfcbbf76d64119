import { hash } from 'node:crypto'
import { lstatSync, readFileSync, type Stats } from 'node:fs'
import { createRequire } from 'node:module'
import type { z } from 'zod'

// Most homes have no settings file, and a command line should not pay for a parser it does not use.
const require = createRequire(import.meta.url)
const loadYaml = () => require('yaml') as typeof import('yaml')

/** What a settings file says now. `damaged` names what is wrong; then `value` is the safe default. */
export interface FileState<Value> {
  readonly value: Value
  /** Changes with the content: a call's audit record names the revision that decided it. */
  readonly revision: string
  readonly damaged: string | undefined
}

/** A file changed this recently may change again within the clock's grain: it is read again next time. */
const SETTLED_AFTER_MS = 100
const SIZE_LIMIT_BYTES = 1_048_576

/** Follows a YAML file: an edit counts from the next call, and a damaged file falls back to the safe default. */
export function watchFile<Value>(
  path: string,
  schema: z.ZodType<Value>,
  safe: Value,
): () => FileState<Value> {
  const absent: FileState<Value> = { value: safe, revision: 'none', damaged: undefined }
  let known: { state: FileState<Value>; identity: string } | undefined
  return () => {
    const stats = findStats(path)
    if (!stats) {
      known = undefined
      return absent
    }
    const identity = `${stats.ino}|${stats.size}|${stats.mtimeMs}|${stats.ctimeMs}`
    if (known?.identity === identity) return known.state
    const state = readState(path, stats, schema, safe)
    const settled = Date.now() - Math.max(stats.mtimeMs, stats.ctimeMs) > SETTLED_AFTER_MS
    known = settled ? { state, identity } : undefined
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
    return { ino: 0, size: 0, mtimeMs: now, ctimeMs: now, isFile: () => true } as Stats
  }
}

function readState<Value>(
  path: string,
  stats: Stats,
  schema: z.ZodType<Value>,
  safe: Value,
): FileState<Value> {
  let text = ''
  try {
    // Reading a pipe or a device could wait or go on for ever, and a link's target is not ours to watch.
    if (!stats.isFile()) throw new Error('not a plain file')
    if (stats.size > SIZE_LIMIT_BYTES) throw new Error(`larger than ${SIZE_LIMIT_BYTES} bytes`)
    text = readFileSync(path, 'utf8')
    const value = schema.parse(loadYaml().parse(text, { maxAliasCount: 20, logLevel: 'error' }) ?? {})
    return { value, revision: revisionOf(text), damaged: undefined }
  } catch (error) {
    return { value: safe, revision: `damaged-${revisionOf(text)}`, damaged: `${path}: ${faultOf(error)}` }
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
  return error instanceof Error ? (error.message.split('\n')[0] ?? 'unreadable') : 'unreadable'
}
