import { CommandFailure } from '../cli-errors.ts'

/** What an error of the file system means for a place. */
const FILE_FAULTS: Readonly<Record<string, string>> = {
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

const DAMAGED_HINT =
  'If another home was meant, name it with --home DIR; `knowtation serve --home DIR` also begins a fresh one. ' +
  '`knowtation backup restore FOLDER --force` brings a backup back, and keeps what is there now.'
/** A server is filled only where it is empty, so nothing there is ever replaced. */
const DAMAGED_SERVER_HINT =
  `If another database was meant, name it in ${SERVER}; an empty one begins a fresh hub, ` +
  'and `knowtation backup restore FOLDER` fills it from a backup.'

/** Why a home could not be opened: a code for programs, one sentence, and what to do. */
export function openingFailure(error: unknown): CommandFailure {
  const failure = failureOf(error as NodeJS.ErrnoException)
  failure.cause = error
  return failure
}

// By name, because the parts of the built program have their own copies of these classes.
function failureOf(error: NodeJS.ErrnoException): CommandFailure {
  const { name, code, message } = error
  if (name === 'StorageTooNew') {
    return new CommandFailure('STORAGE_TOO_NEW', message, 'Install that version, or use another --home.')
  }
  if (name === 'StorageDamaged') {
    return new CommandFailure(
      'STORAGE_DAMAGED',
      message,
      message.includes(SERVER) ? DAMAGED_SERVER_HINT : DAMAGED_HINT,
    )
  }
  if (name === 'StorageUnavailable')
    return new CommandFailure(
      'STORAGE_UNAVAILABLE',
      message,
      message.includes(SERVER) ? SERVER_HINT : undefined,
    )
  if (name === 'SettingInvalid')
    return new CommandFailure('SETTING_INVALID', message, 'Correct the variable, then start the hub again.')
  if (code === undefined) return new CommandFailure('RUNTIME_ERROR', message, 'Mend what is named here.')
  return new CommandFailure('STORAGE_UNAVAILABLE', fileFault(error))
}

/** What an error of the file system means, as a sentence; where we know no better, its own words. */
export function fileFault(error: NodeJS.ErrnoException & { dest?: string }): string {
  const { code = '', path, dest = path, syscall, message } = error
  if (dest !== undefined && code === 'ENOENT' && syscall === 'mkdir') return `${dest} cannot be made there.`
  const fault = FILE_FAULTS[code]
  return fault === undefined || dest === undefined ? message : `${dest} ${fault}.`
}
