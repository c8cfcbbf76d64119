import type { System } from '../basics/system.ts'
import { type Database, type SqlValue, sql } from '../storage/database.ts'
import { type Carrier, LEASE_MS, type Ticket } from './job-queue.ts'

const insert = sql(
  `INSERT INTO queue_jobs (queue, job_id, added_at, token, lease_until) VALUES (?, ?, ?, '', '')
   ON CONFLICT DO NOTHING`,
)
// What nobody has taken has no lease, which sorts before every moment.
const free = sql<{ job_id: string }>(
  'SELECT job_id FROM queue_jobs WHERE queue = ? AND lease_until < ? ORDER BY lease_until, added_at, job_id LIMIT ?',
)
const take = sql(
  'UPDATE queue_jobs SET token = ?, lease_until = ? WHERE queue = ? AND job_id = ? AND lease_until < ?',
)
const keep = sql('UPDATE queue_jobs SET lease_until = ? WHERE queue = ? AND job_id = ? AND token = ?')
const end = sql('DELETE FROM queue_jobs WHERE queue = ? AND job_id = ? AND token = ?')

/** Carries jobs in a table of the hub's own, for SQLite: processes on one home share it. */
export function openTableCarrier(db: Database, system: System, queue: string): Carrier {
  const now = () => system.now().toISOString()
  const leaseUntil = () => new Date(system.now().getTime() + LEASE_MS).toISOString()
  return {
    add: (job_ids) => {
      const rows: SqlValue[][] = job_ids.map((job_id) => [queue, job_id, now()])
      return db.transaction((tx) => tx.runEach(insert, rows))
    },
    async claim(limit) {
      // Looking costs nobody anything; only who finds something asks to write.
      if ((await db.all(free, queue, now(), 1)).length === 0) return []
      return db.transaction(async (tx) => {
        const tickets: Ticket[] = []
        for (const { job_id } of await tx.all(free, queue, now(), limit)) {
          const token = system.random(12)
          if ((await tx.run(take, token, leaseUntil(), queue, job_id, now())) === 1)
            tickets.push({ job_id, token })
        }
        return tickets
      })
    },
    renew: (tickets) =>
      db.transaction(async (tx) => {
        const kept: Ticket[] = []
        for (const ticket of tickets)
          if ((await tx.run(keep, leaseUntil(), queue, ticket.job_id, ticket.token)) === 1) kept.push(ticket)
        return kept
      }),
    finish: ({ job_id, token }) =>
      db.transaction(async (tx) => void (await tx.run(end, queue, job_id, token))),
    close: async () => {},
  }
}
