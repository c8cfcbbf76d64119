import { statfsSync } from 'node:fs'
import { SANDBOX_HOME } from '../system-folders.ts'

/** Folders of a jail that lie in memory. */
const FOLDERS = ['/tmp', SANDBOX_HOME, '/dev/shm']
/** What a file or folder takes beside its content. */
const ENTRY_BYTES = 1_024

/** What a jail's folders in memory hold. */
export interface MemoryFolders {
  readonly content_bytes: number
  /** For names and attributes alone: an empty file is not free. */
  readonly entry_bytes: number
}

/** Looks at the folders in memory below the root of a jail. */
export function lookAtMemoryFolders(root: string): MemoryFolders {
  let [content_bytes, entries] = [0, 0]
  for (const folder of FOLDERS) {
    try {
      const { blocks, bfree, bsize, files, ffree } = statfsSync(`${root}${folder}`)
      content_bytes += (blocks - bfree) * bsize
      entries += files - ffree
    } catch {} // Ended between two looks, or not there.
  }
  return { content_bytes, entry_bytes: entries * ENTRY_BYTES }
}
