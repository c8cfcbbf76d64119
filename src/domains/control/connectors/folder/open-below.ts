import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { isUnmoved } from '../../../../platform/guard/barrier.ts'

// Neither through a link that has come in between, nor waiting at a pipe.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Opens what lies below a folder, itself given by its real path; undefined where it turns out to lie elsewhere. A
 * folder on the way may have become a link since it was listed, and a name alone does not tell.
 */
export async function openBelow(root: string, path: string): Promise<FileHandle | undefined> {
  const place = join(root, path)
  const opened = await open(place, FLAGS)
  try {
    if (await isAt(opened, root, place)) return opened
  } catch (error) {
    await opened.close()
    throw error
  }
  await opened.close()
  return undefined
}

async function isAt({ fd }: FileHandle, root: string, place: string): Promise<boolean> {
  if (process.platform === 'linux') return isUnmoved({ folder_fd: fd, folder_path: place, root_path: root })
  // Elsewhere what is open does not tell where it lies, so its name has to.
  return (await realpath(place)) === place
}
