import { CommandFailure } from './cli-errors.ts'

/** What an error of the file system means for a home. */
const HOME_FAULTS: Readonly<Record<string, string>> = {
  EACCES: 'may not be read or written by this user',
  EPERM: 'may not be read or written by this user',
  EEXIST: 'is not a folder',
  ENOTDIR: 'is not in a folder',
  EROFS: 'is on a disk that is read-only',
  ENOSPC: 'is on a disk that is full',
}

/** What names the place where the home's database is a server's. */
const SERVER = 'KNOWTATION_DATABASE_URL'
const SERVER_HINT = `Check that PostgreSQL runs and takes connections, and the address, user and password in ${SERVER}.`

/** Why a home could not be opened: a code for programs, one sentence, and what to do. */
export function openingFailure(error: unknown): CommandFailure {
  const failure = failureOf(error as NodeJS.ErrnoException)
  failure.cause = error
  return failure
}

// By name, because the parts of the built program have their own copies of these classes.
function failureOf({ name, code, path, message }: NodeJS.ErrnoException): CommandFailure {
  if (name === 'StorageTooNew') {
    return new CommandFailure('STORAGE_TOO_NEW', message, 'Install that version, or use another --home.')
  }
  if (name === 'StorageDamaged') {
    return new CommandFailure(
      'STORAGE_DAMAGED',
      message,
      '`knowtation backup restore FOLDER --force` brings a backup back, and keeps what is there now.',
    )
  }
  if (name === 'StorageUnavailable')
    return new CommandFailure(
      'STORAGE_UNAVAILABLE',
      message,
      message.includes(SERVER) ? SERVER_HINT : undefined,
    )
  if (code === undefined) return new CommandFailure('RUNTIME_ERROR', message, 'Mend what is named here.')
  const fault = HOME_FAULTS[code]
  const sentence = fault === undefined || path === undefined ? message : `${path} ${fault}.`
  return new CommandFailure('STORAGE_UNAVAILABLE', sentence)
}
