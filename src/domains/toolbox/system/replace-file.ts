import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import { syncPath } from '../../../platform/basics/private-file.ts'
import { keepRights } from '../../../platform/guard/drafts/keep-rights.ts'
import type { FileAttribute } from '../../../platform/guard/guard.ts'
import { readAttributes } from '../../../platform/guard/kernel/file-attributes.ts'

/**
 * Replaces a file in one step, with the rights, the owner and the attributes it had. Answers false, with nothing done,
 * when it is no longer the file that was looked at.
 */
export function replaceFile(path: string, text: string, before: Stats, mark: string): boolean {
  const draft = `${path}.${mark}.tmp`
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeFileSync(file, text)
    const rights = { ...before, attributes: attributesOf(path) }
    keepRights(file, fstatSync(file, { bigint: true }), rights, basename(path))
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

function attributesOf(path: string): FileAttribute[] {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    return readAttributes(file, basename(path))
  } finally {
    closeSync(file)
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
