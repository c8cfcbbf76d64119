import { basename } from 'node:path'
import type { FSWatcher } from 'chokidar'
import type { Collector, Source } from '../connector.ts'
import {
  type Change,
  findMember,
  markOf,
  pageChanges,
  readIndex,
  type SourceIndex,
  stableKey,
} from '../page-changes.ts'
import { findContent, toNote } from './read-note.ts'
import { type FoundNote, requireFolder, walkNotes } from './walk-notes.ts'

/** Debounce: changes that come closer together than this are told once. */
const QUIET_MS = 500
/** A folder that never rests is told of at least this often. */
const LONGEST_MS = 5_000
const MAX_DEPTH = 32
const UNSEEN = /(?:^|\/)(?:\.[^/]*|node_modules)(?:\/|$)/

/**
 * Reads the notes of a folder. A file is read again when its time or size has changed, and is a change only
 * if its content has.
 */
export const folderCollector: Collector = {
  async probe(source) {
    const root = await requireFolder(source.settings.folder)
    await walkNotes(root, source.signal)
    return { display_name: basename(root) }
  },
  async *collect(source) {
    const root = await requireFolder(source.settings.folder)
    const notes = await walkNotes(root, source.signal)
    const index = readIndex(findMember(source.checkpoint, 'index'))
    const fresh = notes.filter((note) => !index.get(stableKey(note.path))?.startsWith(stampOf(note)))
    yield* pageChanges(changesOf(source, root, { notes, fresh, index }), {
      stream: 'notes',
      index,
      total: fresh.length,
      checkpoint: (marks) => ({ index: marks }),
    })
  },
  watch: (source, onChange) => watchFolder(source, onChange),
}

interface Comparison {
  readonly notes: readonly FoundNote[]
  readonly fresh: readonly FoundNote[]
  readonly index: SourceIndex
}

async function* changesOf(
  { signal }: Source,
  root: string,
  { notes, fresh, index }: Comparison,
): AsyncGenerator<Change> {
  const former = new Set(index.keys())
  for (const { path } of notes) former.delete(stableKey(path))
  for (const key of former) yield { key, is_removed: true }
  for (const note of fresh) {
    signal.throwIfAborted()
    const key = stableKey(note.path)
    const content = await findContent(root, note)
    if (!content) continue // Gone since: the next run sees it so.
    const hash = markOf(content)
    const mark = `${stampOf(note)}${hash}`
    if (index.get(key)?.endsWith(`:${hash}`)) yield { key, mark }
    else yield { key, mark, data: toNote(note, content) }
  }
}

function stampOf({ modified_ms, size_bytes }: FoundNote): string {
  return `${modified_ms}:${size_bytes}:`
}

/** Tells of changes below the folder; the answer ends it. What it may miss, the next scheduled run finds. */
function watchFolder(source: Source, onChange: () => void): () => Promise<void> {
  let watcher: FSWatcher | undefined
  let isOver = false
  const { tell, stop } = gathered(onChange)
  const start = async (): Promise<void> => {
    const root = await requireFolder(source.settings.folder)
    const { watch } = await import('chokidar')
    if (isOver) return
    const ignored = (path: string): boolean => path !== root && UNSEEN.test(path.slice(root.length))
    watcher = watch(root, { ignoreInitial: true, followSymlinks: false, depth: MAX_DEPTH, ignored })
    watcher.on('all', tell)
    watcher.on('error', () =>
      source.log.warn({ connection_id: source.connection_id }, 'a folder cannot be watched'),
    )
  }
  const started = start().catch(() =>
    source.log.warn({ connection_id: source.connection_id }, 'a folder cannot be watched'),
  )
  return async () => {
    isOver = true
    stop()
    await started
    await watcher?.close()
  }
}

function gathered(act: () => void): { tell: () => void; stop: () => void } {
  let quiet: NodeJS.Timeout | undefined
  let longest: NodeJS.Timeout | undefined
  const stop = (): void => {
    clearTimeout(quiet)
    clearTimeout(longest)
    longest = undefined
  }
  const go = (): void => {
    stop()
    act()
  }
  const tell = (): void => {
    clearTimeout(quiet)
    quiet = setTimeout(go, QUIET_MS)
    longest ??= setTimeout(go, LONGEST_MS)
  }
  return { tell, stop }
}
