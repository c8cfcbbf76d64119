import { lstatSync, readdirSync, unlinkSync } from 'node:fs'
import { realSystem } from '../basics/system.ts'
import { type FolderPlace, isUnmoved } from './barrier.ts'
import { TEMP_PREFIX } from './blocked-names.ts'
import { at } from './descriptors.ts'

/** Nobody writes one file for so long. */
const ABANDONED_AFTER_MS = 3_600_000
/** Of more folders it is forgotten that they were looked through. */
const FOLDERS_MAX = 10_000

const RANDOM = /^[0-9a-f]{24}$/

const swept = new Set<string>()

/**
 * Takes away what processes that were killed while they wrote have left in a folder. Once for each folder that this
 * process writes in: drafts are left behind so seldom that a look at every write would be too much.
 */
export function sweepDrafts(folder: FolderPlace): void {
  if (swept.has(folder.folder_path)) return
  if (swept.size >= FOLDERS_MAX) swept.clear()
  swept.add(folder.folder_path)
  try {
    if (isUnmoved(folder)) removeAbandoned(folder)
  } catch {
    // What is in the way of tidying up is in nobody else's: the write goes on.
  }
}

function removeAbandoned({ folder_fd }: FolderPlace): void {
  const oldest_ms = realSystem.now().getTime() - ABANDONED_AFTER_MS
  for (const name of readdirSync(at(folder_fd, ''))) {
    if (!name.startsWith(TEMP_PREFIX) || !RANDOM.test(name.slice(TEMP_PREFIX.length))) continue
    const stat = lstatSync(at(folder_fd, name))
    if (stat.isFile() && stat.mtimeMs < oldest_ms) unlinkSync(at(folder_fd, name))
  }
}
