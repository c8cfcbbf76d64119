import { realpathSync } from 'node:fs'
import { isAbsolute, posix } from 'node:path'
import { Refusal } from '../../../operations/errors.ts'
import { EVERYTHING, type LockKind } from '../../../platform/locks/lock.ts'

/** The id under which a lock is kept, so that the same thing is never locked under two names. */
export function lockId({ kind, id }: { kind: LockKind; id?: string | undefined }): string {
  if (kind === 'all') {
    if (id !== undefined) throw new Refusal('BAD_REQUEST', 'id must be left out to lock everything.')
    return EVERYTHING
  }
  if (id === undefined) throw new Refusal('BAD_REQUEST', `id must say which ${kind}.`)
  return kind === 'service' ? folderId(id) : id
}

function folderId(id: string): string {
  const folder = posix.normalize(id).replace(/(?<=.)\/$/, '')
  if (folder === '.' || folder === '..' || folder.startsWith('../')) {
    throw new Refusal('BAD_REQUEST', 'id must be an absolute folder, or the end of the path of one.')
  }
  return isAbsolute(folder) ? realFolder(folder) : folder
}

/** Calls know their service by its real path. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}
