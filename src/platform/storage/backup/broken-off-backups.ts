import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A backup that is being written: its name to be, the process that writes it, and something random. */
const DRAFT = /^.+\.partial-(\d{1,10})-[0-9a-f]{8}$/

/** Where a backup is written until it is whole. */
export function draftOf(folder: string, random: string): string {
  return `${folder}.partial-${process.pid}-${random}`
}

/**
 * Takes away what backups into the same place have left when they were killed: half a database and the keys of a
 * home. One whose process lives is being written and stays. Answers what is gone.
 */
export function clearBrokenOffBackups(folder: string): string[] {
  const place = dirname(folder)
  return namesIn(place)
    .filter(isAbandoned)
    .map((name) => join(place, name))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() && isRemoved(path))
}

// A place that cannot be listed, or a folder of somebody else's, is no reason to make no backup.
function namesIn(place: string): string[] {
  try {
    return readdirSync(place)
  } catch {
    return []
  }
}

function isRemoved(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true })
    return true
  } catch {
    return false
  }
}

function isAbandoned(name: string): boolean {
  const pid = DRAFT.exec(name)?.[1]
  return pid !== undefined && !isAlive(Number(pid))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A process of somebody else is not ours to signal, but it is there.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
