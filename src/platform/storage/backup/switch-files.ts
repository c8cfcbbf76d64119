import { existsSync, linkSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Home } from '../../basics/home.ts'
import { syncPath } from '../../basics/private-file.ts'
import { copyPrivateFile, ensureFolder, syncTree } from './durable-files.ts'
import { HALF_RESTORED, HalfRestored, STAGED } from './half-restored.ts'
import { listHomeFiles } from './home-files.ts'

/**
 * Puts the staged files in the place of the home's own, which are kept in `aside`. Answers that folder,
 * or nothing when there was nothing to keep. Each file is switched by one rename, the database last. From the
 * first to the last of them the staged files lie under a name that keeps every program from using the home.
 */
export function switchFiles(home: Home, stage: string, aside: string): string | null {
  const database = basename(home.database)
  const staged = listFiles(stage)
  const replaced = [...listHomeFiles(home), ...witnessOf(home)]
  if (staged.includes(database)) replaced.push(...databaseFiles(home))
  if (!existsSync(aside)) {
    for (const path of replaced) keepFile(join(home.folder, path), join(aside, path))
    if (replaced.length > 0) syncTree(aside)
  }
  const half = join(home.folder, basename(stage).replace(STAGED, HALF_RESTORED))
  renameSync(stage, half)
  try {
    syncPath(home.folder)
    // A log beside the database belongs to the old one; SQLite would take it for the new one's.
    for (const path of replaced.filter((name) => !staged.includes(name))) rmSync(join(home.folder, path))
    for (const path of staged.filter((name) => name !== database)) putInPlace(home, half, path)
    if (staged.includes(database)) putInPlace(home, half, database)
  } catch (cause) {
    const kept = existsSync(aside) ? ` What was there is in ${aside}.` : ''
    const { message } = cause as Error
    throw new HalfRestored(`The restore was broken off half-way: ${message}.${kept}`, { cause })
  }
  renameSync(half, stage)
  return existsSync(aside) ? aside : null
}

// By a second name and not by a copy: to open and close the database here would give up the lock on it.
function keepFile(from: string, to: string): void {
  ensureFolder(dirname(to))
  try {
    linkSync(from, to)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes(code)) throw error
    copyPrivateFile(from, to)
  }
}

function putInPlace(home: Home, stage: string, path: string): void {
  const target = join(home.folder, path)
  ensureFolder(dirname(target))
  renameSync(join(stage, path), target)
  syncPath(dirname(target))
}

/** It tells of the database that was there before. */
function witnessOf({ folder, auditWitness }: Home): string[] {
  return existsSync(auditWitness) ? [relative(folder, auditWitness)] : []
}

function databaseFiles(home: Home): string[] {
  return ['', '-wal', '-shm']
    .map((ending) => `${basename(home.database)}${ending}`)
    .filter((name) => existsSync(join(home.folder, name)))
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}
