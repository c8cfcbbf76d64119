import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { StorageUnavailable } from './database.ts'
import type { FaultLatch } from './sqlite-faults.ts'

/** Up to so many changed rows are synced on the spot; handing so little over would take longer. */
const SMALL_COMMIT_ROWS = 8

/**
 * Brings the write-ahead log to the disk after a commit, as `synchronous = FULL` would, but without
 * stopping the process for it: while the disk works, the next calls are taken. A commit is durable when
 * every byte of the log up to it is, so one sync serves all commits before it.
 */
export interface LogSync {
  /** Resolves when all that was committed so far is on the disk; nothing when it already is. */
  sync(changed_rows: number): Promise<void> | undefined
  /** Resolves when no sync is under way. */
  settled(): Promise<void>
  close(): void
}

/** Follows the log of one database file. A disk that fails to sync ends the use of the file. */
export function logSync(path: string, latch: FaultLatch): LogSync {
  // There is no log before the first commit, and it stays the same file for as long as the database is open.
  let fd: number | undefined
  const log = () => (fd ??= openSync(`${path}-wal`, 'r+'))
  let current: Promise<void> | undefined
  let next: Promise<void> | undefined

  // After a failed sync nobody can say what the disk holds: only opening the file anew can tell.
  const fail = (cause: unknown): never => {
    const error = new StorageUnavailable('The disk did not confirm a write. Start again.', { cause })
    latch.fail(error)
    throw error
  }
  const syncOnce = () =>
    new Promise<void>((resolve, reject) => {
      fdatasync(log(), (error) => (error ? reject(error) : resolve()))
    }).catch(fail)
  const startNext = (): Promise<void> => {
    next = undefined
    return (current = syncOnce().finally(() => {
      if (!next) current = undefined
    }))
  }
  return {
    sync(changed_rows) {
      if (!current && changed_rows <= SMALL_COMMIT_ROWS) return void syncNow(log, fail)
      if (!current) return startNext()
      // The one under way may have begun before this commit; the next one covers it.
      return (next ??= current.then(startNext, startNext))
    },
    async settled() {
      while (current) await current.catch(() => undefined)
    },
    close() {
      if (fd !== undefined) closeSync(fd)
      fd = undefined
    },
  }
}

function syncNow(log: () => number, fail: (cause: unknown) => never): void {
  try {
    fdatasyncSync(log())
  } catch (error) {
    fail(error)
  }
}
