import { close, closeSync, fdatasyncSync, fstatSync, fsync } from 'node:fs'
import { writeWhole } from '../../basics/write-whole.ts'
import { type FolderPlace, isUnmoved } from '../barrier.ts'
import { errnoOf, fileFault } from '../faults.ts'
import { type FileRights, GuardDenied, type PreparedFile, type ThingIdentity } from '../guard.ts'
import { MAKE_NAMELESS, MAKE_NEW } from '../kernel/descriptors.ts'
import { findIn, findName, openIn, renameIn, unlinkIn } from '../kernel/folder-calls.ts'
import { loadKernelCalls } from '../kernel/kernel-calls.ts'
import { checkNewPiece, isHead, type NewThing } from '../repository-pieces.ts'
import { newDraftName } from './draft-name.ts'
import { keepExecutable, keepRights } from './keep-rights.ts'
import { sweepDrafts } from './sweep-drafts.ts'

/** Until a file has the rights of the one that it replaces, it is its owner's alone. */
const OWNER_ALONE = 0o700
/** As other programs make files; the process's umask, or the folder's default list, takes away from it. */
const NEW_MODE = 0o664

const UNCHANGEABLE =
  'cannot be replaced: it or its folder is marked as unchangeable, or the folder lets only owners replace their files'

/** The folder that a file is written in. */
export interface WriteInto extends FolderPlace {
  readonly given: string
}

/** A file that is written beside its name, and open still. */
export interface Draft extends PreparedFile {
  readonly fd: number
}

/** How version control has a file. */
export interface CheckedOut {
  /** Whether it can be run: by everybody who may read it, or by nobody. */
  readonly is_executable: boolean
}

/** What a draft is filled with. */
interface DraftContent {
  readonly bytes: Uint8Array
  readonly kept: FileRights | undefined
  readonly checked_out: CheckedOut | undefined
}

interface Made {
  readonly fd: number
  /** Undefined for a file that has no name yet. */
  name: string | undefined
}

/**
 * Writes a file that has no name yet, so that nobody meets it half done and nothing is left of it when the process is
 * killed. Where a disk has no such files, it has a random name beside the one that it is to get.
 */
export function makeDraft(
  into: WriteInto,
  bytes: Uint8Array,
  kept: FileRights | undefined,
  checked_out?: CheckedOut,
): Draft {
  sweepDrafts(into)
  const mode = kept ? kept.mode & OWNER_ALONE : NEW_MODE
  return fillDraft(into, makeNameless(into, mode) ?? makeNamed(into, mode), { bytes, kept, checked_out })
}

function makeNameless(into: WriteInto, mode: number): Made | undefined {
  // Without these calls it could get no name.
  if (!loadKernelCalls()) return undefined
  try {
    return { fd: openIn(into.folder_fd, '.', MAKE_NAMELESS, mode), name: undefined }
  } catch {
    // Where it is no matter of the disk, making it under a name fails too, and says why.
    return undefined
  }
}

function makeNamed(into: WriteInto, mode: number): Made {
  const name = newDraftName()
  return { fd: openIn(into.folder_fd, name, MAKE_NEW, mode), name }
}

function fillDraft(into: WriteInto, made: Made, content: DraftContent): Draft {
  const { fd } = made
  const { bytes, kept, checked_out } = content
  const had_name = made.name !== undefined
  let is_put = false
  const closeMade = () => {
    if (made.name !== undefined) removeIfThere(into.folder_fd, made.name)
    made.name = undefined
    // As git itself does, a checkout waits for no disk: the object store has what a crash would lose.
    if (is_put && !had_name && !checked_out) closeSynced(fd)
    else closeSync(fd)
  }
  try {
    // Which file it is does not change any more: looked at once, for its rights and for whether it has arrived.
    const own = fstatSync(fd, { bigint: true })
    writeWhole(fd, bytes)
    if (kept) keepRights(fd, own, kept, into.given)
    if (checked_out) keepExecutable(fd, checked_out.is_executable)
    const putAs = (name: string) => {
      if (!checked_out) checkNoHead(into, name)
      if (!isUnmoved(into)) throw new GuardDenied('changed', into.given)
      if (!nameDraft(into, made)) return putNamed(into, content, name)
      moveOver(into, made.name as string, name)
      made.name = undefined
      is_put = true
      checkArrived(into, name, own)
      if (!kept) checkNoRepository(into, name, checked_out ? 'checked_out' : 'file')
    }
    return { fd, putAs, close: closeMade }
  } catch (error) {
    closeMade()
    throw error
  }
}

/** Only for the moment before it is renamed: there is no call that puts a nameless file over another. */
function nameDraft(into: WriteInto, made: Made): boolean {
  if (made.name !== undefined) return true
  const name = newDraftName()
  if (!loadKernelCalls()?.linkOpen(made.fd, into.folder_fd, name)) return false
  made.name = name
  return true
}

/** For a disk that has nameless files and gives them no name. */
function putNamed(into: WriteInto, content: DraftContent, name: string): void {
  const mode = content.kept ? content.kept.mode & OWNER_ALONE : NEW_MODE
  const draft = fillDraft(into, makeNamed(into, mode), content)
  try {
    if (!content.checked_out) fdatasyncSync(draft.fd)
    draft.putAs(name)
  } finally {
    draft.close()
  }
}

/**
 * The content is on the disk already, but on one without a journal not yet that the file has a name. Nobody waits for it.
 */
function closeSynced(fd: number): void {
  fsync(fd, () => close(fd, () => {}))
}

/**
 * The file that had the name is held while it loses it, and closed in a thread: freeing its blocks can take longer than
 * all the rest of a write, and the rename would wait for it here.
 */
function moveOver({ folder_fd, given }: WriteInto, from: string, to: string): void {
  const replaced_fd = findName(folder_fd, to)
  try {
    renameIn(folder_fd, from, to)
  } catch (error) {
    if (errnoOf(error) !== 'EPERM') throw error
    throw fileFault('NotSupported', given, UNCHANGEABLE)
  } finally {
    if (replaced_fd !== undefined) close(replaced_fd, () => {})
  }
}

function checkArrived(into: WriteInto, name: string, own: Pick<ThingIdentity, 'dev' | 'ino'>): void {
  const named = findIn(into.folder_fd, name)
  if (named?.ino !== own.ino || named.dev !== own.dev) throw new GuardDenied('changed', into.given)
}

/**
 * Not even in the place of one that is there: it may be what a command has left, be moved aside in this moment, and then
 * be made anew.
 */
function checkNoHead({ given }: WriteInto, name: string): void {
  if (isHead({ name, isDirectory: () => false })) throw new GuardDenied('repository', given)
}

/** Somebody else may have made the other pieces since they were looked for. */
function checkNoRepository(into: WriteInto, name: string, what: NewThing): void {
  try {
    checkNewPiece(into.folder_fd, name, what, into.given)
  } catch (error) {
    removeIfThere(into.folder_fd, name)
    throw error
  }
}

export function removeIfThere(folder_fd: number, name: string): void {
  try {
    unlinkIn(folder_fd, name)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
  }
}
