import { type Dirent, opendirSync } from 'node:fs'
import { hasControlCharacters } from '../blocked-names.ts'
import { at } from '../kernel/descriptors.ts'
import type { OpenScope } from '../open-scope.ts'

const FOLDER_ENTRIES_MAX = 100_000
const BATCH = 256
/** Stands for bytes that are no text; such a name cannot be asked for again. */
const NO_TEXT = '\ufffd'
const BEYOND_16_BITS = /[\ud800-\udfff]/

/** The names in a held folder that a tool may know of. */
export interface FolderEntries {
  readonly entries: readonly Dirent[]
  readonly capped: boolean
  /** How many names were left out because no path could hold them. */
  readonly unnameable: number
}

/**
 * Reads a held folder, in the order of the names' bytes. Closed names, and names that no path could hold (control
 * characters, bytes that are no text), are left out; the latter are counted.
 */
export function readFolder({ names }: OpenScope, folder_fd: number): FolderEntries {
  const folder = opendirSync(at(folder_fd, ''), { bufferSize: BATCH })
  const entries: Dirent[] = []
  let [seen, unnameable] = [0, 0]
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      seen += 1
      if (seen > FOLDER_ENTRIES_MAX) break
      if (names.isClosed(entry.name)) continue
      if (isShowable(entry.name)) entries.push(entry)
      else unnameable += 1
    }
  } finally {
    folder.closeSync()
  }
  return { entries: sortByBytes(entries), capped: seen > FOLDER_ENTRIES_MAX, unnameable }
}

/** Whether a path could hold a name. */
export function isShowable(name: string): boolean {
  return !name.includes(NO_TEXT) && !hasControlCharacters(name)
}

function sortByBytes(entries: readonly Dirent[]): Dirent[] {
  if (entries.some(({ name }) => BEYOND_16_BITS.test(name)))
    return entries.toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
