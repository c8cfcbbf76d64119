import {
  type BigIntStats,
  close,
  closeSync,
  fchmodSync,
  fchownSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
} from 'node:fs'
import { promisify } from 'node:util'
import { realSystem } from '../basics/system.ts'
import { writeWhole } from '../basics/write-whole.ts'
import { type FolderPlace, isUnmoved } from './barrier.ts'
import { TEMP_PREFIX } from './blocked-names.ts'
import { MAKE_NEW, NAME_ANY } from './descriptors.ts'
import { errnoOf } from './faults.ts'
import { folderCalls } from './folder-calls.ts'
import { type FileRights, GuardDenied, type KeptFile, type PreparedFile } from './guard.ts'
import { sweepDrafts } from './sweep-drafts.ts'

const syncData = promisify(fdatasync)

const RANDOM_BYTES = 12
const PRIVATE_MODE = 0o600
const PERMISSIONS = 0o777
const ALL_BITS = 0o7777
/** What a new file is made with; the process's umask takes away from it. */
const NEW_MODE = 0o644

/** The folder that a file is written in. */
export interface WriteInto extends FolderPlace {
  readonly given: string
}

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
  const made = makeBeside(into, bytes, kept)
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
  kept: FileRights | undefined,
): Promise<PreparedFile> {
  const made = makeBeside(into, bytes, kept)
  try {
    await syncData(made.fd)
    return made
  } catch (error) {
    made.close()
    throw error
  }
}

function makeBeside(into: WriteInto, bytes: Uint8Array, kept: FileRights | undefined) {
  sweepDrafts(into)
  const temp = `${TEMP_PREFIX}${realSystem.random(RANDOM_BYTES)}`
  const fd = folderCalls().open(into.folder_fd, temp, MAKE_NEW, kept ? kept.mode & PERMISSIONS : NEW_MODE)
  // Which file it is does not change any more: looked at once, for its rights and for whether it has arrived.
  const own = fstatSync(fd, { bigint: true })
  let is_beside = true
  const closeMade = () => {
    if (is_beside) removeIfThere(into.folder_fd, temp)
    is_beside = false
    closeSync(fd)
  }
  const putAs = (name: string, replaced?: KeptFile) => {
    if (!isUnmoved(into)) throw new GuardDenied('changed', into.given)
    if (replaced) folderCalls().rename(into.folder_fd, temp, name)
    else moveOver(into.folder_fd, temp, name)
    is_beside = false
    checkArrived(into, name, own)
  }
  try {
    writeWhole(fd, bytes)
    if (kept) keepRights(fd, own, kept)
    return { fd, putAs, close: closeMade }
  } catch (error) {
    closeMade()
    throw error
  }
}

/**
 * The file that had the name is held while it loses it: the kernel frees what it had on the disk only when it is let
 * go of, which takes several times as long as the rename itself and is nothing that anybody has to wait for.
 */
function moveOver(folder_fd: number, from: string, to: string): void {
  const replaced = tryHold(folder_fd, to)
  try {
    folderCalls().rename(folder_fd, from, to)
  } finally {
    if (replaced !== undefined) close(replaced, () => {})
  }
}

function tryHold(folder_fd: number, name: string): number | undefined {
  try {
    return folderCalls().open(folder_fd, name, NAME_ANY)
  } catch {
    // The rename says what is wrong, if anything is.
    return undefined
  }
}

/** Makes a file that must not exist; answers false when the name is taken, by whatever it may be. */
export function makeNewFile(into: WriteInto, name: string, bytes: Uint8Array, mode: number): boolean {
  if (!isUnmoved(into)) throw new GuardDenied('changed', into.given)
  const fd = openNew(into.folder_fd, name)
  if (fd === undefined) return false
  try {
    writeWhole(fd, bytes)
    if (mode !== PRIVATE_MODE) keepRights(fd, fstatSync(fd, { bigint: true }), { mode })
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
    return folderCalls().open(folder_fd, name, MAKE_NEW, PRIVATE_MODE)
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return undefined
    throw error
  }
}

/** Permission bits only: what an agent wrote must not run with somebody else's rights. */
function keepRights(fd: number, own: BigIntStats, { mode, uid, gid }: FileRights): void {
  const isAnothers =
    uid !== undefined && gid !== undefined && (own.uid !== BigInt(uid) || own.gid !== BigInt(gid))
  if (isAnothers) tryChown(fd, uid, gid)
  if (isAnothers || (Number(own.mode) & ALL_BITS) !== (mode & PERMISSIONS)) fchmodSync(fd, mode & PERMISSIONS)
}

function tryChown(fd: number, uid: number, gid: number): void {
  try {
    fchownSync(fd, uid, gid)
  } catch (error) {
    // Only the superuser can give files away; anyone else keeps what they wrote.
    if (errnoOf(error) !== 'EPERM') throw error
  }
}

function checkArrived(into: WriteInto, name: string, own: BigIntStats): void {
  const named = folderCalls().find(into.folder_fd, name)
  if (named?.ino !== own.ino || named.dev !== own.dev) throw new GuardDenied('changed', into.given)
}

function removeIfThere(folder_fd: number, name: string): void {
  try {
    folderCalls().unlink(folder_fd, name)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
  }
}
