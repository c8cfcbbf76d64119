import { createHash } from 'node:crypto'
import type { CollectedRecord, Json, JsonObject, Page } from './connector.ts'
import { SourceFault } from './connector.ts'
import { MAX_PAGE_RECORDS } from './guard-collector.ts'

/** Things that one source is compared by from run to run. */
export const MAX_INDEXED = 20_000
/** A page ends when it holds this much, whatever the number of its records. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024
const MARK_CHARS = 12
const PLAIN_KEY_CHARS = 200

/** What a source looked like: the mark of each thing by its key. */
export type SourceIndex = Map<string, string>

/** A difference between a source and its index. Without data only the mark is new. */
export type Change =
  | { readonly key: string; readonly mark: string; readonly data?: JsonObject }
  | { readonly key: string; readonly is_removed: true }

export interface PagingOptions {
  readonly stream: string
  /** Brought up to date as the pages are made. */
  readonly index: SourceIndex
  readonly total?: number
  /** The mark to go on from; `is_done` once everything is in. */
  checkpoint(index: Json, is_done: boolean): Json
}

/** Makes pages of changes, each with the index as it is once the page is kept. The last one may be empty. */
export async function* pageChanges(
  changes: AsyncIterable<Change> | Iterable<Change>,
  { stream, index, total, checkpoint }: PagingOptions,
): AsyncGenerator<Page> {
  let upserts: CollectedRecord[] = []
  let removals: string[] = []
  let bytes = 0
  const turn = (is_done: boolean): Page => {
    const page = { stream, upserts, removals, bytes, checkpoint: checkpoint(writeIndex(index), is_done) }
    upserts = []
    removals = []
    bytes = 0
    return total === undefined ? page : { ...page, total }
  }
  for await (const change of changes) {
    if ('is_removed' in change) {
      index.delete(change.key)
      removals.push(change.key)
    } else {
      checkRoom(index.set(change.key, change.mark))
      if (change.data) upserts.push({ key: change.key, data: change.data })
      bytes += change.data ? sizeOf(change.data) : 0
    }
    if (upserts.length + removals.length >= MAX_PAGE_RECORDS || bytes >= MAX_PAGE_BYTES) yield turn(false)
  }
  yield turn(true)
}

/**
 * What is new in a list of records, and which of the indexed ones it has no more. Those come first: an index has
 * room for one source, not for what it was and what it is now.
 */
export function* changesIn(
  records: readonly CollectedRecord[],
  index: SourceIndex,
  missing: 'removed' | 'forgotten',
): Generator<Change> {
  const former = new Set(index.keys())
  for (const { key } of records) former.delete(key)
  for (const key of former) {
    if (missing === 'removed') yield { key, is_removed: true }
    else index.delete(key)
  }
  for (const { key, data } of records) {
    const mark = markOf(JSON.stringify(data))
    if (index.get(key) !== mark) yield { key, mark, data }
  }
}

/** The index in a checkpoint; none where there is none, or one that cannot be read. */
export function readIndex(value: Json | undefined): SourceIndex {
  const pairs = Array.isArray(value) ? (value as readonly Json[]) : []
  const good = pairs.filter((pair): pair is [string, string] => {
    return Array.isArray(pair) && typeof pair[0] === 'string' && typeof pair[1] === 'string'
  })
  return new Map(good)
}

function writeIndex(index: SourceIndex): Json {
  return [...index]
}

function checkRoom({ size }: SourceIndex): void {
  if (size > MAX_INDEXED)
    throw new SourceFault('too_large', `The source has more than ${MAX_INDEXED} things.`)
}

/** A short mark that differs where the content does. */
export function markOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, MARK_CHARS)
}

/** A key as the source gives it, or a hash of one that is too long to be kept. */
export function stableKey(text: string): string {
  const isShort = text !== '' && text.length <= PLAIN_KEY_CHARS
  const isPlain = isShort && text.isWellFormed() && !/\p{Cc}/u.test(text)
  return isPlain ? text : `sha256:${createHash('sha256').update(text).digest('hex')}`
}

function sizeOf(data: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(data))
}

/** A member of a checkpoint, where it is of that type. */
export function findText(checkpoint: Json, name: string): string | undefined {
  const value = findMember(checkpoint, name)
  return typeof value === 'string' ? value : undefined
}

/** A member of a checkpoint that is an object. */
export function findMember(checkpoint: Json, name: string): Json | undefined {
  if (checkpoint === null || typeof checkpoint !== 'object' || Array.isArray(checkpoint)) return undefined
  return Object.hasOwn(checkpoint, name) ? (checkpoint as JsonObject)[name] : undefined
}
