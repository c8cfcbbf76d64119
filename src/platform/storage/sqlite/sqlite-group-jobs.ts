import type { Transaction } from '../database.ts'
import {
  joinTails,
  type LimitedRun,
  type RawTransaction,
  type Rest,
  type TransactionScope,
  writeTails,
} from '../transaction-scope.ts'
import type { Connection } from './sqlite-connection.ts'

/** The work of one transaction, and who waits for it. */
export interface Job {
  work(tx: Transaction): Promise<unknown>
  resolve(result: unknown): void
  reject(error: unknown): void
  result?: unknown
}

/** The jobs of a group that succeeded, and what they leave for after the commit. */
export interface Done {
  readonly jobs: readonly Job[]
  readonly after: (() => void)[]
}

/** Runs jobs in an open transaction. */
export type RunJobs = (group: readonly Job[], limited: LimitedRun) => Promise<Done>

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
  const runJob = async (job: Job, limited: LimitedRun, { tails, after }: Rest) => {
    job.result = await scope.run(raw, job.work, limited, (more) => {
      joinTails(tails, more.tails)
      after.push(...more.after)
      return true
    })
  }
  const finish = async (limited: LimitedRun, { tails, after }: Rest) => {
    if (tails.size === 0) return
    const take = (more: Rest) => {
      after.push(...more.after)
      return false
    }
    await scope.run(raw, (tx) => writeTails(tx, tails), limited, take)
  }

  /** Throws `JobFailed` at the first that fails. */
  const runTogether: RunJobs = async (group, limited) => {
    const rest: Rest = { tails: new Map(), after: [] }
    for (const job of group) {
      await runJob(job, limited, rest).catch((error: unknown) => {
        throw new JobFailed(job, error)
      })
    }
    await finish(limited, rest)
    return { jobs: group, after: rest.after }
  }

  /** With a savepoint for each: one that fails hears of it, and the others go on. */
  const runApart: RunJobs = async (group, limited) => {
    const rest: Rest = { tails: new Map(), after: [] }
    const jobs: Job[] = []
    for (const job of group) {
      save()
      try {
        await runJob(job, limited, rest)
        jobs.push(job)
      } catch (error) {
        // After a full disk SQLite may have rolled everything back already: then there is no savepoint.
        if (!connection.inTransaction) throw error
        undo()
        job.reject(error)
      }
      release()
    }
    await finish(limited, rest)
    return { jobs, after: rest.after }
  }
  return { runTogether, runApart }
}
