import { closeSync, fstatSync } from 'node:fs'
import { isUnmoved } from './barrier.ts'
import { LOCK_PREFIX } from './blocked-names.ts'
import { writeInto } from './change-files.ts'
import { closeAll } from './descriptors.ts'
import { closeReplaced } from './draft-stock.ts'
import { errnoOf, fileFault, translateFault } from './faults.ts'
import { folderCalls, holdAgain, kernelCalls } from './folder-calls.ts'
import {
  type FileRights,
  type FoundFile,
  GuardDenied,
  type HeldFolder,
  type KeptFile,
  type PreparedFile,
} from './guard.ts'
import { isSingleName } from './input-path.ts'
import { isInStore, type OpenScope, renderPlace } from './open-scope.ts'
import { openLeaf, READ_ATTEMPTS, readLeaf } from './read-file.ts'
import { findName, isStillOpened } from './still-there.ts'
import type { Leaf } from './trail.ts'
import { checkFile, pathOfPlace, requireFile, type UsedPlace, usePlace } from './use-place.ts'
import { makeNewFile, prepareFile, putFile, type WriteInto } from './write-file.ts'

interface Held extends WriteInto {
  readonly scope: OpenScope
  /** The file that was there when the folder was taken, under its name; looked at once more where it still is. */
  first: (Leaf & { readonly name: string }) | undefined
  open: boolean
}

/** Holds the folder of a file of the service. The folder must exist, the file need not. */
export function holdFolder(scope: OpenScope, given: string): HeldFolder {
  return usePlace(scope, given, 'write', (place) => {
    if (place.leaf) requireFile(place)
    else if (place.missing.length !== 1) throw fileFault(place.fault ?? 'FileNotFound', given)
    const name = place.names.at(-1) ?? ''
    const held = {
      ...writeInto(place),
      folder_fd: keepFolder(place),
      scope,
      first: keepLeaf(place, name),
      open: true,
    }
    return openHeld(held, name, renderPlace(scope, place.root, place.names))
  })
}

/** The folder's descriptor, to be kept beyond the call; a root keeps its own. */
function keepFolder({ fds, folder_fd }: UsedPlace): number {
  const place = fds.indexOf(folder_fd)
  return place < 0 ? holdAgain(folder_fd) : (fds.splice(place, 1)[0] as number)
}

/** Where files may have several names, nothing would tell that this one has been changed since. */
function keepLeaf({ scope, fds, leaf, ...place }: UsedPlace, name: string): Held['first'] {
  const at = leaf ? fds.indexOf(leaf.fd) : -1
  if (!leaf || at < 0 || isInStore(scope, () => pathOfPlace(place))) return undefined
  fds.splice(at, 1)
  return { ...leaf, name }
}

function openHeld(held: Held, name: string, path: string): HeldFolder {
  return {
    name,
    path,
    read: (one, max_bytes) => using(held, [one], () => readHeld(held, one, max_bytes, readLeaf)),
    keep: (one, max_bytes) => using(held, [one], () => keepHeld(held, one, max_bytes)),
    createNew: (one, bytes, mode) => using(held, [one], () => makeNewFile(held, one, bytes, mode)),
    linkLock: (one, file) => using(held, [one], () => linkHeld(held, one, file)),
    readLock: (one, max_bytes) =>
      using(held, [one], () => readHeld(held, one, max_bytes, readLeaf, isLock(one))),
    replace: (one, bytes, mode) => using(held, [one], () => putFile(held, one, bytes, { mode })),
    prepare: async (bytes, rights) => prepareHeld(held, bytes, rights),
    stat: (one) => using(held, [one], () => folderCalls().find(held.folder_fd, one)),
    rename: (from, to) => using(held, [from, to], () => renameHeld(held, from, to)),
    unlink: (one) => using(held, [one], () => unlinkHeld(held, one)),
    close: () => {
      if (held.open) closeAll([held.folder_fd, ...(held.first ? [held.first.fd] : [])])
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

function linkHeld(held: Held, name: string, path: string): boolean | undefined {
  const calls = kernelCalls()
  if (!calls || !isLock(name)) return undefined
  if (!isUnmoved(held)) throw new GuardDenied('changed', held.given)
  if (calls.link(path, held.folder_fd, name)) return true
  return calls.find(held.folder_fd, name) ? false : undefined
}

function readHeld<Found extends FoundFile>(
  held: Held,
  name: string,
  max_bytes: number,
  read: (...args: Parameters<typeof readLeaf>) => Found | undefined,
  is_shared = false,
): Found | undefined {
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt += 1) {
    const leaf = takeFirst(held, name, max_bytes) ?? findLeaf(held.folder_fd, name)
    if (leaf === undefined) return undefined
    const { fd, stat } = leaf
    try {
      const may_have_names = is_shared || isInStore(held.scope, () => `${held.folder_path}/${name}`)
      // Links were followed when the folder was taken: one that is here now was put here since.
      if (stat.isSymbolicLink()) throw new GuardDenied('changed', held.given)
      checkFile(stat, held.given, may_have_names)
      const found = read(leaf, { ...held, name, may_have_names }, max_bytes)
      if (found) return found
    } finally {
      closeSync(fd)
    }
  }
  throw new GuardDenied('changed', held.given)
}

/**
 * What is read is compared with what was seen first: a file that was changed since is looked at anew, and so is one
 * that was too large, for it may have become smaller while its lock was waited for.
 */
function takeFirst(held: Held, name: string, max_bytes: number): Leaf | undefined {
  const { first } = held
  if (first?.name !== name || first.stat.size > BigInt(max_bytes)) return undefined
  held.first = undefined
  return first
}

function findLeaf(folder_fd: number, name: string): Leaf | undefined {
  const fd = findName(folder_fd, name)
  return fd === undefined ? undefined : { fd, stat: fstatSync(fd, { bigint: true }) }
}

async function prepareHeld(held: Held, bytes: Uint8Array, rights: FileRights): Promise<PreparedFile> {
  if (!held.open) throw new Error('the held folder is closed')
  try {
    const made = await prepareFile(held, bytes, rights)
    return { ...made, putAs: (name, kept) => using(held, [name], () => made.putAs(name, kept)) }
  } catch (error) {
    throw translateFault(error, held.given)
  }
}

function keepHeld(held: Held, name: string, max_bytes: number): KeptFile | undefined {
  const found = readHeld(held, name, max_bytes, openLeaf)
  if (!found) return undefined
  const { fd, ...file } = found
  return {
    ...file,
    isStill: () => using(held, [name], () => isStillOpened(held.folder_fd, name, found)),
    close: () => closeReplaced(fd),
  }
}

function renameHeld(held: Held, from: string, to: string): boolean {
  const calls = folderCalls()
  for (const name of [from, to])
    if (calls.find(held.folder_fd, name)?.is_folder) throw fileFault('IsADirectory', held.given)
  return changeHeld(held, () => calls.rename(held.folder_fd, from, to))
}

/** A lock is taken away from wherever its folder was moved: it is the hub's own, and nobody else would do so. */
function unlinkHeld(held: Held, name: string): boolean {
  const unlink = () => folderCalls().unlink(held.folder_fd, name)
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
