import { setImmediate as nextTick, setTimeout as pause } from 'node:timers/promises'
import { StorageUnavailable, type Transaction } from '../database.ts'
import {
  HOLD_LIMIT_MS,
  type LimitedRun,
  QUEUE_LIMIT,
  type RawTransaction,
  runAfter,
  type TransactionScope,
} from '../transaction-scope.ts'
import type { Connection } from './sqlite-connection.ts'
import { type FaultLatch, isBusy } from './sqlite-faults.ts'
import { groupJobs, type Job, JobFailed, type RunJobs } from './sqlite-group-jobs.ts'
import type { FileReads } from './sqlite-reads.ts'

/** How long a group waits for another process that is writing to the same file. */
const BUSY_LIMIT_MS = 10_000
/** Between two tries: short, since another process lets go only for a moment between its own groups. */
const BUSY_PAUSE_MS = 1
/** More than this many transactions are never joined into one commit. */
const GROUP_LIMIT = 256
/** So many ticks of the event loop more are spent on a group, as long as each brings it another transaction. */
const GATHERING_TICKS = 2
/** Among so many a commit costs each next to nothing: nobody waits for more. */
const ENOUGH_TRANSACTIONS = 16

interface Parts {
  connection: Connection
  /** Statements on the writer, without the rules of a scope. */
  raw: RawTransaction
  latch: FaultLatch
  scope: TransactionScope
  /** Reads beside the changes; undefined where they wait for them. */
  reads: Pick<FileReads, 'beforeWriting' | 'afterWriting'> | undefined
}

/**
 * Joins the transactions that arrive in one tick of the event loop into one commit, so that the disk syncs once for all
 * of them. One that fails undoes only itself: the others do their work again without it, each in its own savepoint from
 * then on.
 */
export function groupCommit(parts: Parts) {
  const runGroup = groupRunner(parts)
  let waiting: Job[] = []
  let running: Promise<void> | undefined
  let last_size = 0

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      await gather()
      const group = waiting.slice(0, GROUP_LIMIT)
      waiting = waiting.slice(GROUP_LIMIT)
      last_size = group.length
      await runGroup(group)
    }
    running = undefined
  }

  /**
   * At least one tick a group: requests, timers and other processes get their chance in between. Callers who were
   * answered together come back together, but not all in one tick; for a single one no more ticks are spent.
   */
  async function gather(): Promise<void> {
    const isWorthMore = last_size > 1 && last_size < ENOUGH_TRANSACTIONS
    for (let ticks = 0; ticks <= GATHERING_TICKS; ticks++) {
      const before = waiting.length
      await nextTick()
      if (!isWorthMore || waiting.length === before) return
    }
  }

  /** Resolves when nothing is under way any more. */
  async function drained(): Promise<void> {
    if (!running) return
    await running
    await drained()
  }

  return {
    add<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
      return new Promise<Result>((resolve, reject) => {
        parts.scope.checkOutside()
        parts.latch.check()
        if (waiting.length >= QUEUE_LIMIT) throw new StorageUnavailable('Too many changes are waiting.')
        waiting.push({ work, resolve: resolve as (result: unknown) => void, reject })
        running ??= runAll()
      })
    },
    drained,
    waiting: () => waiting.length,
  }
}

function groupRunner({ connection, raw, latch, scope, reads }: Parts): (group: Job[]) => Promise<void> {
  const control = (text: string) => {
    const statement = connection.prepare(text)
    return () => latch.guarded(() => void statement.run())
  }
  const begin = control('BEGIN IMMEDIATE')
  const commit = control('COMMIT')
  const jobs = groupJobs({ connection, raw, scope, control })

  async function commitAll(group: readonly Job[], run: RunJobs): Promise<void> {
    const limit = holdLimit()
    try {
      reads?.beforeWriting()
      abandon(connection)
      await beginWaiting(begin)
      const { jobs: done, after } = await run(group, limit.run)
      commit()
      reads?.afterWriting()
      runAfter(after)
      for (const job of done) job.resolve(job.result)
    } catch (error) {
      abandon(connection)
      reads?.afterWriting()
      throw error
    } finally {
      limit.clear()
    }
  }

  /** Nothing was kept of a group in which one failed, so the others may do their work again. */
  async function commitWithout({ job, cause }: JobFailed, group: readonly Job[]): Promise<void> {
    job.reject(cause)
    const others = group.filter((one) => one !== job)
    if (others.length > 0) await commitAll(others, jobs.runApart)
  }

  return (group) =>
    commitAll(group, jobs.runTogether)
      .catch((error: unknown) => {
        if (error instanceof JobFailed) return commitWithout(error, group)
        throw error
      })
      .catch((error: unknown) => group.forEach((job) => void job.reject(error)))
}

/** Ends a transaction that failed. Should even that fail, it is tried again before the next one. */
function abandon(connection: Connection): void {
  try {
    if (connection.inTransaction) connection.exec('ROLLBACK')
  } catch {
    // The failure that led here is the one to tell.
  }
}

async function beginWaiting(begin: () => void): Promise<void> {
  const started = performance.now()
  for (;;) {
    try {
      return begin()
    } catch (error) {
      if (!isBusy(error) || performance.now() - started > BUSY_LIMIT_MS) throw error
    }
    await pause(BUSY_PAUSE_MS)
  }
}

/** Lets go of work that waits for something else for too long; one timer serves a whole group. */
function holdLimit(): { run: LimitedRun; clear(): void } {
  let giveUp: ((error: Error) => void) | undefined
  const timer = setTimeout(
    () => giveUp?.(new Error('A transaction was held open for too long.')),
    HOLD_LIMIT_MS,
  )
  return {
    run: (act) =>
      new Promise((resolve, reject) => {
        giveUp = reject
        timer.refresh()
        act().then(resolve, reject)
      }),
    clear: () => clearTimeout(timer),
  }
}
