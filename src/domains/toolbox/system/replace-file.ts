import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { syncPath } from '../../../platform/basics/private-file.ts'

/**
 * Replaces a file in one step, with the rights and the owner it had. Answers false, with nothing done,
 * when it is no longer the file that was looked at.
 */
export function replaceFile(path: string, text: string, before: Stats, mark: string): boolean {
  const draft = `${path}.${mark}.tmp`
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeFileSync(file, text)
    fchmodSync(file, before.mode & 0o777)
    if (process.getuid?.() === 0) fchownSync(file, before.uid, before.gid)
    fsyncSync(file)
    if (!isSame(before, lstatSync(path, { throwIfNoEntry: false }))) return false
    renameSync(draft, path)
    syncPath(dirname(path))
    return true
  } finally {
    closeSync(file)
    rmSync(draft, { force: true })
  }
}

function isSame(before: Stats, now: Stats | undefined): boolean {
  return (
    now?.ino === before.ino &&
    now.size === before.size &&
    now.mtimeMs === before.mtimeMs &&
    now.ctimeMs === before.ctimeMs
  )
}
