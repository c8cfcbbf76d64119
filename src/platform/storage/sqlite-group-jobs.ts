import type { Transaction } from './database.ts'
import type { Connection } from './sqlite-connection.ts'
import {
  joinTails,
  type LimitedRun,
  type RawTransaction,
  type Tails,
  type TransactionScope,
  writeTails,
} from './transaction-scope.ts'

/** The work of one transaction, and who waits for it. */
export interface Job {
  work(tx: Transaction): Promise<unknown>
  /** How many wait for it. */
  callers(): number
  resolve(result: unknown): void
  reject(error: unknown): void
  result?: unknown
}

/** Runs jobs in an open transaction; answers those that succeeded. */
export type RunJobs = (group: readonly Job[], limited: LimitedRun) => Promise<readonly Job[]>

/** The first job of a group that failed, and why. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed'
  readonly job: Job
  constructor(job: Job, cause: unknown) {
    super('A job of the group failed.', { cause })
    this.job = job
  }
}

interface Parts {
  connection: Connection
  raw: RawTransaction
  scope: TransactionScope
  control(text: string): () => void
}

/** The two ways to run the jobs of a group, one after the other. */
export function groupJobs({ connection, raw, scope, control }: Parts) {
  const save = control('SAVEPOINT job')
  const release = control('RELEASE job')
  const undo = control('ROLLBACK TO job')
  const runJob = async (job: Job, limited: LimitedRun, tails: Tails) => {
    job.result = await scope.run(raw, job.work, limited, (more) => joinTails(tails, more))
  }
  const finish = async (limited: LimitedRun, tails: Tails) => {
    if (tails.size > 0) await scope.run(raw, (tx) => writeTails(tx, tails), limited)
  }

  /** Throws `JobFailed` at the first that fails. */
  const runTogether: RunJobs = async (group, limited) => {
    const tails: Tails = new Map()
    for (const job of group) {
      await runJob(job, limited, tails).catch((error: unknown) => {
        throw new JobFailed(job, error)
      })
    }
    await finish(limited, tails)
    return group
  }

  /** With a savepoint for each: one that fails hears of it, and the others go on. */
  const runApart: RunJobs = async (group, limited) => {
    const tails: Tails = new Map()
    const done: Job[] = []
    for (const job of group) {
      save()
      try {
        await runJob(job, limited, tails)
        done.push(job)
      } catch (error) {
        // After a full disk SQLite may have rolled everything back already: then there is no savepoint.
        if (!connection.inTransaction) throw error
        undo()
        job.reject(error)
      }
      release()
    }
    await finish(limited, tails)
    return done
  }
  return { runTogether, runApart }
}
