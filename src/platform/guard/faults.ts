import { FileFault, type FileFaultCode, GuardDenied } from './guard.ts'

const SHOWN_PATH_LENGTH = 300

const WORDS: Record<FileFaultCode, string> = {
  ValidationError: 'is not a path that can be used',
  FileNotFound: 'there is no such file or folder',
  FileTooLarge: 'is larger than allowed',
  IsADirectory: 'is a folder, not a file',
  NotADirectory: 'is not a folder, or leads through something that is none',
  PathTooLong: 'is too long',
  NotSupported: 'cannot be changed here',
  IOError: 'could not be read or written',
}

const CODES: Record<string, FileFaultCode> = {
  ENOENT: 'FileNotFound',
  ENOTDIR: 'NotADirectory',
  EISDIR: 'IsADirectory',
  ENAMETOOLONG: 'PathTooLong',
}

/** Why the system failed, where that helps and tells nothing of the host. */
const CAUSES: Record<string, string> = {
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left',
  EDQUOT: 'the quota is used up',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
}

/** An honest failure, naming the path as the caller wrote it and never where it lies on the host. */
export function fileFault(code: FileFaultCode, path: string, words = WORDS[code]): FileFault {
  const shown = path.length > SHOWN_PATH_LENGTH ? `${path.slice(0, SHOWN_PATH_LENGTH)}…` : path
  return new FileFault(code, path, `${shown}: ${words}`)
}

/** A failure of what was given as a path and cannot be named, for there is nothing in it that may be shown. */
export function noPathFault(sentence: string): FileFault {
  return new FileFault('ValidationError', '', sentence)
}

/** The system's code of a failed call, if it is one. */
export function errnoOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined
}

/** Undefined where the system fails: for things met on the way that may be gone, swapped or unreadable by now. */
export function tryQuietly<Result>(look: () => Result): Result | undefined {
  try {
    return look()
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return undefined
  }
}

/** What kind of failure a code of the system is to the caller. */
export function faultCodeOf(errno: string): FileFaultCode {
  return CODES[errno] ?? 'IOError'
}

/** Turns a failure of the system into one that may be shown; leaves everything else as it is. */
export function translateFault(error: unknown, path: string): unknown {
  if (error instanceof FileFault || error instanceof GuardDenied) return error
  const errno = errnoOf(error)
  if (errno === undefined) return error
  // No link is ever opened on purpose: meeting one means that it was put there after the look.
  if (errno === 'ELOOP') return new GuardDenied('changed', path)
  if (errno === 'EXDEV') return new GuardDenied('device', path)
  const cause = CAUSES[errno]
  return fileFault(faultCodeOf(errno), path, cause && `${WORDS.IOError}: ${cause}`)
}
