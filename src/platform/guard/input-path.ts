import { hasControlCharacters } from './blocked-names.ts'
import { fileFault, noPathFault } from './faults.ts'

/** What the kernel takes: 4096 with the closing zero. */
const PATH_BYTES_MAX = 4_095
/** The longest single name that file systems hold. */
export const NAME_BYTES_MAX = 255

/** Folders on the way: each costs a descriptor. */
export const DEPTH_MAX = 128

/** A path cut into names; `.` stays at the end only, where it says that a folder is meant. */
export interface PathParts {
  readonly absolute: boolean
  readonly names: readonly string[]
}

/** Checks what a caller wrote. Nothing is trimmed, decoded or expanded: every other character is a character. */
export function parseInputPath(path: string): PathParts {
  if (typeof path !== 'string') throw noPathFault('The path must be a text.')
  if (path === '') throw noPathFault('The path is empty.')
  if (path.length > PATH_BYTES_MAX || Buffer.byteLength(path) > PATH_BYTES_MAX)
    throw fileFault('PathTooLong', path)
  if (hasControlCharacters(path)) throw noPathFault('The path holds control characters, which no path may.')
  if (!path.isWellFormed()) throw noPathFault('The path is not valid Unicode text.')
  const parts = splitPath(path)
  if (parts.names.some(isTooLong)) throw fileFault('PathTooLong', path)
  return parts
}

/** Cuts a path, as written by a caller or found in a link, into names. */
export function splitPath(path: string): PathParts {
  const all = path.split('/')
  const names = all.filter((name) => name !== '' && name !== '.')
  const last = all.at(-1)
  if (names.length > 0 && (last === '' || last === '.')) names.push('.')
  return { absolute: path.startsWith('/'), names }
}

/** Whether it is one name and nothing that leads elsewhere. */
export function isSingleName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name) && !isTooLong(name)
}

/** Whether the file system could hold no such name. */
function isTooLong(name: string): boolean {
  return name.length > NAME_BYTES_MAX || Buffer.byteLength(name) > NAME_BYTES_MAX
}
