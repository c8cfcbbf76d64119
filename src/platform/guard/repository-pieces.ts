import { type Dirent, lstatSync, opendirSync } from 'node:fs'
import { foldAlias } from './blocked-names.ts'
import { errnoOf } from './faults.ts'
import { GuardDenied } from './guard.ts'
import { at } from './kernel/descriptors.ts'

/**
 * What git looks for before it takes a folder for a repository of its own, without any `.git`: a HEAD, and either
 * `objects` and `refs` beside it or a `commondir` that says where else they are. It then runs what `config` says.
 */
const PIECES = new Set(['head', 'objects', 'refs', 'commondir'])

/** Whatever folds to one of them begins like it, or with a letter of another alphabet. */
const MAY_BE_PIECE = /^(?:[horc]|[^ -~])/i

/** What gets a name: a file or folder of a tool's, or a file that version control has. */
export type NewThing = 'file' | 'folder' | 'checked_out'

/** A name in a folder, and whether a folder is what has it. */
type NamedEntry = Pick<Dirent, 'name' | 'isDirectory'>

/** Whether git would take a folder with these names for a repository. What the files say is not looked at: it can change. */
export function isRepository(entries: Iterable<NamedEntry>): boolean {
  const found = new Set<string>()
  for (const entry of entries) addPiece(found, entry)
  return isWhole(found)
}

/** Whether it is the HEAD of a repository, in any spelling that some file system takes for it. A folder is none. */
export function isHead(entry: NamedEntry): boolean {
  return MAY_BE_PIECE.test(entry.name) && !entry.isDirectory() && foldAlias(entry.name) === 'head'
}

/** Whether a name is one that a repository has, in any such spelling. */
export function isPiece(name: string): boolean {
  return MAY_BE_PIECE.test(name) && PIECES.has(foldAlias(name))
}

function addPiece(found: Set<string>, entry: NamedEntry): void {
  if (!MAY_BE_PIECE.test(entry.name)) return
  const name = foldAlias(entry.name)
  if (PIECES.has(name) && !(name === 'head' && entry.isDirectory())) found.add(name)
}

function isWhole(found: ReadonlySet<string>): boolean {
  return found.has('head') && (found.has('commondir') || (found.has('objects') && found.has('refs')))
}

/**
 * Refuses a new name that would make a repository of the held folder, and any new HEAD: the other pieces could come to it
 * with a branch. One that is checked out was committed by the owner, since no tool makes or stages one. Asked before the
 * name is made, and once more when it is there: of two who each make a piece at the same time at least one then meets
 * the other's.
 */
export function checkNewPiece(folder_fd: number, name: string, what: NewThing, given: string): void {
  const piece = foldAlias(name)
  if (!PIECES.has(piece) || (piece === 'head' && what === 'folder')) return
  const found = piecesIn(folder_fd)
  found.add(piece)
  if (isWhole(found) || (piece === 'head' && what === 'file')) throw new GuardDenied('repository', given)
}

function piecesIn(folder_fd: number): Set<string> {
  const found = new Set<string>()
  const folder = opendirSync(at(folder_fd, ''))
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      addPiece(found, entry)
    }
  } finally {
    folder.closeSync()
  }
  return found
}

/**
 * Refuses a change in a repository that is there already, at any depth: its settings, hooks and attributes are the
 * owner's. `levels` says how many folders above the held one belong to the same root. Each is asked for below the
 * held descriptor, so that no name on the way there counts.
 */
export function checkNoRepositoryAbove(folder_fd: number, levels: number, given: string): void {
  let above = ''
  for (let level = 0; level <= levels; level += 1) {
    if (isRepositoryAt(folder_fd, above)) throw new GuardDenied('repository', given)
    above += '../'
  }
}

/** As the file system itself compares names, since git asks it the same way. */
function isRepositoryAt(folder_fd: number, above: string): boolean {
  const has = (name: string): boolean => findPlainly(folder_fd, above + name) !== undefined
  if (!has('HEAD')) return false
  return (has('commondir') || (has('objects') && has('refs'))) && !isFolder(folder_fd, `${above}HEAD`)
}

function isFolder(folder_fd: number, path: string): boolean {
  return findPlainly(folder_fd, path)?.isDirectory() === true
}

function findPlainly(folder_fd: number, path: string) {
  try {
    return lstatSync(at(folder_fd, path), { throwIfNoEntry: false })
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}
