import { closeSync, constants } from 'node:fs'

/** Missing in Node's list: a descriptor that names a thing without opening it, so that no FIFO or device wakes. */
const O_PATH = 0o10000000
const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY, O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = constants

/** Names whatever is there, a link included. */
export const NAME_ANY = O_PATH | O_NOFOLLOW
/** Names a real folder and nothing else. */
export const NAME_FOLDER = O_PATH | O_NOFOLLOW | O_DIRECTORY
/** Opens a thing whose kind is already known through its descriptor; waits for nobody. */
export const READ_KNOWN = O_RDONLY | O_NONBLOCK | O_NOCTTY
/** Opens a name for reading without following a link and without waiting. */
export const READ_NAME = READ_KNOWN | O_NOFOLLOW
/** Makes a file that was not there. */
export const MAKE_NEW = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW

/** Makes a file in a folder without a name; it is gone when it is closed before it got one. Not in Node's list either. */
export const MAKE_NAMELESS = 0o20000000 | O_DIRECTORY | O_WRONLY

/** A name below a held folder: the kernel starts at the folder that is held, wherever its own name went since. */
export function at(folder_fd: number, name: string): string {
  return `/proc/self/fd/${folder_fd}/${name}`
}

/** The held thing itself. */
export function itself(fd: number): string {
  return `/proc/self/fd/${fd}`
}

/** Closes what a call has held. */
export function closeAll(fds: readonly number[]): void {
  for (const fd of fds) closeSync(fd)
}
