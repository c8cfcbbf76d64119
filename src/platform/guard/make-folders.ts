import { closeSync, mkdirSync, openSync, rmdirSync } from 'node:fs'
import { errnoOf } from './faults.ts'
import { GuardDenied } from './guard.ts'
import { at, NAME_FOLDER } from './kernel/descriptors.ts'
import { holdAgain } from './kernel/folder-calls.ts'
import { checkNewPiece } from './repository-pieces.ts'

/** Folders made below a held one; the last is where the file goes. */
export interface MadeFolders {
  readonly fd: number
  /** Takes back what was made, as far as it is still empty. */
  undo(): void
  close(): void
}

/**
 * Makes missing folders, one below the other, each entered through the descriptor of the one before. All names
 * have been checked by the walk that found them missing, so nothing is made for a call that is to be refused.
 */
export function makeFolders(folder_fd: number, names: readonly string[], given: string): MadeFolders {
  const fds = [holdAgain(folder_fd)]
  const made: string[] = []
  const undo = (): void => {
    for (const place of made.toReversed()) tryRemove(place)
  }
  const close = (): void => {
    for (const fd of fds.splice(0)) closeSync(fd)
  }
  try {
    for (const name of names) {
      const above_fd = fds.at(-1) as number
      const place = at(above_fd, name)
      if (makeFolder(place)) made.push(place)
      checkNewPiece(above_fd, name, 'folder', given)
      fds.push(enterFolder(place, given))
    }
  } catch (error) {
    undo()
    close()
    throw error
  }
  return { fd: fds.at(-1) as number, undo, close }
}

/** As other programs make folders; the umask, or the default list of the folder above, takes away from it. */
const NEW_MODE = 0o775

/** Answers false where somebody else was faster. */
function makeFolder(place: string): boolean {
  try {
    mkdirSync(place, NEW_MODE)
    return true
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw error
  }
}

function enterFolder(place: string, given: string): number {
  try {
    return openSync(place, NAME_FOLDER)
  } catch (error) {
    // What was made, or was there, a moment ago is no folder now.
    if (errnoOf(error) === 'ENOTDIR' || errnoOf(error) === 'ENOENT') throw new GuardDenied('changed', given)
    throw error
  }
}

function tryRemove(place: string): void {
  try {
    rmdirSync(place)
  } catch {
    // Somebody has put something into it, or taken it away: it is theirs now.
  }
}
