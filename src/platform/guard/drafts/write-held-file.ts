import { closeSync, fdatasync, fdatasyncSync, fstatSync } from 'node:fs'
import { promisify } from 'node:util'
import { writeWhole } from '../../basics/write-whole.ts'
import { isUnmoved } from '../barrier.ts'
import { errnoOf } from '../faults.ts'
import { type FileRights, GuardDenied, type PreparedFile } from '../guard.ts'
import { MAKE_NEW } from '../kernel/descriptors.ts'
import { openIn } from '../kernel/folder-calls.ts'
import { checkNewPiece } from '../repository-pieces.ts'
import { keepRights } from './keep-rights.ts'
import { makeDraft, removeIfThere, type WriteInto } from './make-draft.ts'

export type { WriteInto } from './make-draft.ts'

const PRIVATE_MODE = 0o600

const syncData = promisify(fdatasync)

/**
 * Puts a file under a name in one step: written beside it under a random name, brought to the disk, renamed
 * within the one held folder. Whatever goes wrong, the name has the old content and nothing lies beside it.
 */
export function putFile(
  into: WriteInto,
  name: string,
  bytes: Uint8Array,
  kept: FileRights | undefined,
): void {
  const made = makeDraft(into, bytes, kept)
  try {
    fdatasyncSync(made.fd)
    made.putAs(name)
  } finally {
    made.close()
  }
}

/** The same in two steps: on the disk already when it is given out, under its name when the caller says so. */
export async function prepareFile(
  into: WriteInto,
  bytes: Uint8Array,
  kept: FileRights,
): Promise<PreparedFile> {
  const made = makeDraft(into, bytes, kept)
  try {
    await syncData(made.fd)
    return made
  } catch (error) {
    made.close()
    throw error
  }
}

/** Makes a file that must not exist; answers false when the name is taken, by whatever it may be. */
export function makeNewFile(into: WriteInto, name: string, bytes: Uint8Array, mode: number): boolean {
  if (!isUnmoved(into)) throw new GuardDenied('changed', into.given)
  checkNewPiece(into.folder_fd, name, 'file', into.given)
  const fd = openNew(into.folder_fd, name)
  if (fd === undefined) return false
  try {
    writeWhole(fd, bytes)
    if (mode !== PRIVATE_MODE) keepRights(fd, fstatSync(fd, { bigint: true }), { mode }, into.given)
    return true
  } catch (error) {
    removeIfThere(into.folder_fd, name)
    throw error
  } finally {
    closeSync(fd)
  }
}

function openNew(folder_fd: number, name: string): number | undefined {
  try {
    return openIn(folder_fd, name, MAKE_NEW, PRIVATE_MODE)
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return undefined
    throw error
  }
}
