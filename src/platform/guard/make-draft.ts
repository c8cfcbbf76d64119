import { type BigIntStats, close, closeSync, fchmodSync, fchownSync, fstatSync } from 'node:fs'
import { realSystem } from '../basics/system.ts'
import { writeWhole } from '../basics/write-whole.ts'
import { type FolderPlace, isUnmoved } from './barrier.ts'
import { TEMP_PREFIX } from './blocked-names.ts'
import { MAKE_NEW, NAME_ANY } from './descriptors.ts'
import { takeDraft } from './draft-stock.ts'
import { errnoOf } from './faults.ts'
import { folderCalls, kernelCalls } from './folder-calls.ts'
import { type FileRights, GuardDenied, type KeptFile, type PreparedFile } from './guard.ts'
import { sweepDrafts } from './sweep-drafts.ts'

const RANDOM_BYTES = 12
const PERMISSIONS = 0o777
const ALL_BITS = 0o7777
/** What a new file is made with; the process's umask takes away from it. */
const NEW_MODE = 0o644

/** The folder that a file is written in. */
export interface WriteInto extends FolderPlace {
  readonly given: string
}

/** A file that is written beside its name, and open still. */
export interface Draft extends PreparedFile {
  readonly fd: number
}

/** Writes a file under a random name beside the one that it is to have. */
export function makeDraft(into: WriteInto, bytes: Uint8Array, kept: FileRights | undefined): Draft {
  const temp = randomName()
  const mode = kept ? kept.mode & PERMISSIONS : NEW_MODE
  const fd = folderCalls().open(into.folder_fd, temp, MAKE_NEW, mode)
  return openDraft(into, { fd, temp }, bytes, kept)
}

/** The same for what is often one of many: a file that was made ahead only gets its name here, where there is one. */
export function makeQuickDraft(into: WriteInto, bytes: Uint8Array, kept: FileRights): Draft {
  const fd = takeDraft(into.folder_fd, kept.mode & PERMISSIONS)
  if (fd === undefined) return makeDraft(into, bytes, kept)
  const temp = randomName()
  // It is named before it is synced: a file that is on the disk without a name is none after a power cut.
  if (kernelCalls()?.linkOpen(fd, into.folder_fd, temp)) return openDraft(into, { fd, temp }, bytes, kept)
  closeSync(fd)
  return makeDraft(into, bytes, kept)
}

function randomName(): string {
  return `${TEMP_PREFIX}${realSystem.random(RANDOM_BYTES)}`
}

function openDraft(
  into: WriteInto,
  { fd, temp }: { fd: number; temp: string },
  bytes: Uint8Array,
  kept: FileRights | undefined,
): Draft {
  let is_beside = true
  const closeMade = () => {
    if (is_beside) removeIfThere(into.folder_fd, temp)
    is_beside = false
    closeSync(fd)
  }
  try {
    sweepDrafts(into)
    // Which file it is does not change any more: looked at once, for its rights and for whether it has arrived.
    const own = fstatSync(fd, { bigint: true })
    writeWhole(fd, bytes)
    if (kept) keepRights(fd, own, kept)
    const putAs = (name: string, replaced?: KeptFile) => {
      if (!isUnmoved(into)) throw new GuardDenied('changed', into.given)
      if (replaced) folderCalls().rename(into.folder_fd, temp, name)
      else moveOver(into.folder_fd, temp, name)
      is_beside = false
      checkArrived(into, name, own)
    }
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

/** Permission bits only: what an agent wrote must not run with somebody else's rights. */
export function keepRights(fd: number, own: BigIntStats, { mode, uid, gid }: FileRights): void {
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

export function removeIfThere(folder_fd: number, name: string): void {
  try {
    folderCalls().unlink(folder_fd, name)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
  }
}
