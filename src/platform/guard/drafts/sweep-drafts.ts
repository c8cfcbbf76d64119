import { lstatSync, readdirSync, unlinkSync } from 'node:fs'
import { realSystem } from '../../basics/system.ts'
import { type FolderPlace, isUnmoved } from '../barrier.ts'
import { at } from '../kernel/descriptors.ts'
import { findDraftOwner } from './draft-name.ts'

/** Nobody writes one file for so long. Counts where it cannot be told whether the writer is still there. */
const ABANDONED_AFTER_MS = 3_600_000
/** A folder that was looked through is not again for so long. */
const LOOK_EVERY_MS = 60_000
/** Of more folders it is forgotten that they were looked through. */
const FOLDERS_MAX = 10_000

const swept = new Map<string, number>()

/**
 * Takes away what processes that were killed while they wrote have left in a folder. Not at every write: drafts have a
 * name for a moment only, on most disks, and are left behind so seldom that a look each time would be too much.
 */
export function sweepDrafts(folder: FolderPlace): void {
  const now_ms = performance.now()
  const last_ms = swept.get(folder.folder_path)
  if (last_ms !== undefined && now_ms - last_ms < LOOK_EVERY_MS) return
  if (swept.size >= FOLDERS_MAX) swept.clear()
  swept.set(folder.folder_path, now_ms)
  try {
    if (isUnmoved(folder)) removeAbandoned(folder)
  } catch {
    // What is in the way of tidying up is in nobody else's: the write goes on.
  }
}

function removeAbandoned({ folder_fd }: FolderPlace): void {
  const oldest_ms = realSystem.now().getTime() - ABANDONED_AFTER_MS
  for (const name of readdirSync(at(folder_fd, ''))) {
    const owner = findDraftOwner(name)
    if (owner === undefined) continue
    const stat = lstatSync(at(folder_fd, name))
    if (stat.isFile() && (owner === 'gone' || stat.mtimeMs < oldest_ms)) unlinkSync(at(folder_fd, name))
  }
}
