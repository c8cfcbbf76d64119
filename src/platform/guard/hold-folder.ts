import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { isUnmoved } from './barrier.ts'
import { LOCK_PREFIX } from './blocked-names.ts'
import { writeInto } from './change-files.ts'
import { makeNewFile, prepareFile, putFile, type WriteInto } from './drafts/write-held-file.ts'
import { errnoOf, fileFault, translateFault } from './faults.ts'
import { type FileRights, type FoundFile, GuardDenied, type HeldFolder, type PreparedFile } from './guard.ts'
import { isSingleName } from './input-path.ts'
import { itself, READ_KNOWN } from './kernel/descriptors.ts'
import { readAttributes } from './kernel/file-attributes.ts'
import { findIn, findName, holdAgain, renameIn, unlinkIn } from './kernel/folder-calls.ts'
import { isInStore, type OpenScope, renderPlace } from './open-scope.ts'
import { READ_ATTEMPTS, readLeaf } from './read-held-file.ts'
import { checkNewPiece } from './repository-pieces.ts'
import { checkFile, requireFile, type UsedPlace, usePlace } from './use-place.ts'

interface Held extends WriteInto {
  readonly scope: OpenScope
  open: boolean
}

/** Holds the folder of a file of the service. The folder must exist, the file need not. */
export function holdFolder(scope: OpenScope, given: string): HeldFolder {
  return usePlace(scope, given, 'write', (place) => {
    if (place.leaf) requireFile(place)
    else if (place.missing.length !== 1) throw fileFault(place.fault ?? 'FileNotFound', given)
    const held = { ...writeInto(place), folder_fd: keepFolder(place), scope, open: true }
    return openHeld(held, place.names.at(-1) ?? '', renderPlace(scope, place.root, place.names))
  })
}

/** The folder's descriptor, to be kept beyond the call; a root keeps its own. */
function keepFolder({ fds, folder_fd }: UsedPlace): number {
  const place = fds.indexOf(folder_fd)
  return place < 0 ? holdAgain(folder_fd) : (fds.splice(place, 1)[0] as number)
}

function openHeld(held: Held, name: string, path: string): HeldFolder {
  const { folder_fd } = held
  return {
    name,
    path,
    read: (one, max_bytes) => using(held, [one], () => readHeld(held, one, max_bytes, false)),
    readWithRights: (one, max_bytes) => using(held, [one], () => readHeld(held, one, max_bytes, true)),
    hasStill: (one, file) => using(held, [one], () => hasStill(folder_fd, one, file)),
    createNew: (one, bytes, mode) => using(held, [one], () => makeNewFile(held, one, bytes, mode)),
    replace: (one, bytes, mode) => using(held, [one], () => putFile(held, one, bytes, { mode })),
    prepare: async (bytes, rights) => prepareHeld(held, bytes, rights),
    stat: (one) => using(held, [one], () => findIn(folder_fd, one)),
    rename: (from, to) => using(held, [from, to], () => renameHeld(held, from, to)),
    unlink: (one) => using(held, [one], () => unlinkHeld(held, one)),
    close: () => {
      if (held.open) closeSync(folder_fd)
      held.open = false
    },
  }
}

/** Every use checks its names, and that the number of the descriptor is not somebody else's by now. */
function using<Result>(held: Held, names: readonly string[], work: () => Result): Result {
  if (!held.open) throw new Error('the held folder is closed')
  for (const name of names) checkSingleName(held, name)
  try {
    return work()
  } catch (error) {
    throw translateFault(error, held.given)
  }
}

function checkSingleName({ scope, given }: Held, name: string): void {
  if (!isSingleName(name))
    throw fileFault('ValidationError', given, 'what is named beside it is not a single name')
  if (scope.names.isClosedToLocks(name)) throw new GuardDenied('blocked', given)
}

function isLock(name: string): boolean {
  return name.startsWith(LOCK_PREFIX)
}

function readHeld(
  held: Held,
  name: string,
  max_bytes: number,
  with_attributes: boolean,
): FoundFile | undefined {
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt += 1) {
    const fd = findName(held.folder_fd, name)
    if (fd === undefined) return undefined
    try {
      const stat = fstatSync(fd, { bigint: true })
      const may_have_names = isInStore(held.scope, () => `${held.folder_path}/${name}`)
      // Links were followed when the folder was taken: one that is here now was put here since.
      if (stat.isSymbolicLink()) throw new GuardDenied('changed', held.given)
      checkFile(stat, held.given, may_have_names)
      const found = readLeaf({ fd, stat }, { ...held, name, may_have_names }, max_bytes)
      if (found && !with_attributes) return found
      if (found) return { ...found, attributes: readAttributes(fd, held.given) }
    } finally {
      closeSync(fd)
    }
  }
  throw new GuardDenied('changed', held.given)
}

async function prepareHeld(held: Held, bytes: Uint8Array, rights: FileRights): Promise<PreparedFile> {
  if (!held.open) throw new Error('the held folder is closed')
  try {
    const made = await prepareFile(held, bytes, rights)
    return { ...made, putAs: (name) => using(held, [name], () => made.putAs(name)) }
  } catch (error) {
    throw translateFault(error, held.given)
  }
}

function renameHeld(held: Held, from: string, to: string): boolean {
  checkNewPiece(held.folder_fd, to, 'file', held.given)
  for (const name of [from, to])
    if (findIn(held.folder_fd, name)?.is_folder) throw fileFault('IsADirectory', held.given)
  return changeHeld(held, () => renameIn(held.folder_fd, from, to))
}

/** A lock is taken away from wherever its folder was moved: it is the hub's own, and nobody else would do so. */
function unlinkHeld(held: Held, name: string): boolean {
  const unlink = () => unlinkIn(held.folder_fd, name)
  return isLock(name) ? orGone(unlink) : changeHeld(held, unlink)
}

function changeHeld(held: Held, change: () => void): boolean {
  if (!isUnmoved(held)) throw new GuardDenied('changed', held.given)
  return orGone(change)
}

/** Answers false where the name was gone already. */
function orGone(change: () => void): boolean {
  try {
    change()
    return true
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false
    throw error
  }
}

/** Whether a name in a held folder still has just the content and mode that were read. */
export function hasStill(folder_fd: number, name: string, { bytes, mode }: FoundFile): boolean {
  const named_fd = findName(folder_fd, name)
  if (named_fd === undefined) return false
  try {
    const stat = fstatSync(named_fd)
    return stat.isFile() && (stat.mode & 0o7777) === mode && hasBytes(named_fd, bytes)
  } finally {
    closeSync(named_fd)
  }
}

/** A regular file gives less than asked for only at its end. */
function hasBytes(named_fd: number, bytes: Buffer): boolean {
  const fd = openSync(itself(named_fd), READ_KNOWN)
  try {
    const now = Buffer.allocUnsafe(bytes.length + 1)
    const length = readSync(fd, now, 0, now.length, 0)
    return now.subarray(0, length).equals(bytes)
  } finally {
    closeSync(fd)
  }
}
