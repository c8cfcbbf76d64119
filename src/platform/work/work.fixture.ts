import { onTestFinished } from 'vitest'
import { type Clock, type DatabaseName, makeTestHome } from '../../../test/harness/test-hub.ts'
import { type Database, sql } from '../storage/database.ts'
import { openDatabase } from '../storage/open-database.ts'
import type { LeasePlace } from './lease-clock.ts'
import { defineWork, type WorkClaim } from './work-table.ts'

/** A table of work of the test's own, in any store. */
export const jobWork = defineWork({
  table: 'test_jobs',
  key: ['job_id'],
  fence: 'fence',
  open: `state = 'open'`,
  wanted: `state = 'open'`,
})
export type JobClaim = WorkClaim<'job_id'>

const create = sql(
  'CREATE TABLE test_jobs (job_id TEXT PRIMARY KEY, state TEXT NOT NULL, owner TEXT, fence INTEGER NOT NULL, lease_until TEXT)',
)
const add = sql(`INSERT INTO test_jobs VALUES (?, 'open', NULL, 0, NULL)`)
const end = sql(`UPDATE test_jobs SET state = 'ended' WHERE job_id = ? AND fence = ? AND state = 'open'`)
const free = sql<{ job_id: string }>(
  `SELECT job_id FROM test_jobs WHERE state = 'open' AND (lease_until IS NULL OR lease_until < ?) ORDER BY job_id LIMIT ?`,
)
const expire = sql(`UPDATE test_jobs SET lease_until = '1' WHERE job_id = ?`)
export const allJobs = sql<{
  job_id: string
  state: string
  owner: string | null
  fence: number
  lease_until: string
}>('SELECT * FROM test_jobs ORDER BY job_id')

/** Opens the store again and again, each time with connections of its own, as several processes would. */
export async function jobStore(
  database: DatabaseName,
  clock: Clock = {},
): Promise<() => Promise<LeasePlace>> {
  const made = await makeTestHome({ database, clock })
  const opened: Database[] = []
  onTestFinished(async () => {
    for (const db of opened) await db.close()
    await made[Symbol.asyncDispose]()
  })
  const { home, env, system } = made.options
  const open = async () => {
    const db = await openDatabase(home, env, new Date())
    opened.push(db)
    return { db, system }
  }
  const first = await open()
  await first.db.transaction(async (tx) => void (await tx.run(create)))
  return open
}

export const addJobs = ({ db }: LeasePlace, ids: readonly string[]) =>
  db.transaction((tx) =>
    tx.runEach(
      add,
      ids.map((id) => [id]),
    ),
  )
/** Writes the end of a job, as a domain does: by its fence. False where it is no longer the claim's to end. */
export const endJob = ({ db }: LeasePlace, { job_id, fence }: JobClaim) =>
  db.transaction(async (tx) => (await tx.run(end, job_id, fence)) === 1)
export const findFree = ({ db }: LeasePlace, now: string, limit: number) => db.all(free, now, limit)
/** Makes it as if the holder of a job had been silent for long. */
export const expireJob = ({ db }: LeasePlace, job_id: string) =>
  db.transaction(async (tx) => void (await tx.run(expire, job_id)))
