import { basename } from 'node:path'
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
import { watchFolder } from './watch-folder.ts'

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
