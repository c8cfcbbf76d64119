import { isUtf8 } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, constants, type Dirent, openSync, readdirSync, renameSync } from 'node:fs'
import { isHead } from '../../../platform/guard/repository-pieces.ts'
import { FOLDERS_MAX } from './command-limits.ts'

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const OWNER_ALL = 0o700
/** Each level is held while what is in it is looked through. */
const DEPTH_MAX = 200

/** A folder that no text leads to: its name is none, or its path is longer than the kernel takes. */
export interface OddFolder {
  /** One that a path does lead to. */
  readonly above: string
  readonly name: Buffer
}

/** What was found in such folders, as text to be shown, and whether they could all be looked through. */
export interface OddFinds {
  readonly shown: readonly string[]
  readonly is_complete: boolean
}

interface Search {
  readonly isClosed: (name: string) => boolean
  /** Whether what is found is moved aside at once. */
  readonly moves: boolean
  readonly shown: string[]
  folders: number
  is_complete: boolean
}

/** The folders in a folder whose names are no text. */
export function oddFoldersIn(above: string): OddFolder[] {
  const entries = readdirSync(above, { withFileTypes: true, encoding: 'buffer' })
  return entries
    .filter((entry) => entry.isDirectory() && !isUtf8(entry.name))
    .map(({ name }) => ({ above, name }))
}

/** Looks for closed names and heads of repositories at any depth, by descriptors and bytes. Links are not followed. */
export function searchOddFolders(
  folders: readonly OddFolder[],
  how: { isClosed: (name: string) => boolean; moves: boolean },
): OddFinds {
  const search: Search = { ...how, shown: [], folders: 0, is_complete: true }
  for (const { above, name } of folders) {
    // The name alone may be what makes the path too long.
    const fd = open(search, Buffer.from(above))
    if (fd === undefined) search.is_complete = false
    else useFolder(fd, (held) => within(search, held, name, 0))
  }
  return search
}

function useFolder(fd: number, use: (held: string) => void): void {
  try {
    use(`/proc/self/fd/${fd}`)
  } finally {
    closeSync(fd)
  }
}

function within(search: Search, above: string, name: Buffer, depth: number): void {
  const fd = depth > DEPTH_MAX || ++search.folders > FOLDERS_MAX ? undefined : open(search, join(above, name))
  if (fd === undefined) search.is_complete = false
  else useFolder(fd, (held) => lookInto(search, held, depth))
}

/** What is deeper comes first: what is moved takes along what is in it. */
function lookInto(search: Search, folder: string, depth: number): void {
  const entries = readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })
  for (const entry of entries) if (entry.isDirectory()) within(search, folder, entry.name, depth + 1)
  const named = entries.map((entry) => ({ entry, text: asText(entry) }))
  for (const { entry, text } of named) {
    if (search.isClosed(text.name) || isHead(text)) found(search, folder, entry.name)
  }
}

function asText(entry: Dirent<Buffer>): { name: string; isDirectory(): boolean } {
  return { name: entry.name.toString(), isDirectory: () => entry.isDirectory() }
}

function found(search: Search, folder: string, name: Buffer): void {
  search.shown.push(name.toString())
  if (!search.moves) return
  try {
    const aside = Buffer.concat([name, Buffer.from(`.aside-${randomBytes(4).toString('hex')}`)])
    renameSync(join(folder, name), join(folder, aside))
  } catch {
    search.is_complete = false
  }
}

function open(search: Search, path: Buffer): number | undefined {
  try {
    return openSync(path, FOLDER)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES' || !search.moves) return undefined
  }
  try {
    // By the modes of folders a command could hide from us what the owner would still meet.
    chmodSync(path, OWNER_ALL)
    return openSync(path, FOLDER)
  } catch {
    return undefined
  }
}

function join(folder: string, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), name])
}
