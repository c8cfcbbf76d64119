import { realNow } from '../basics/clock.ts'
import type { System } from '../basics/system.ts'
import { type Database, sql } from './database.ts'

/** How often the database is asked for its time anew. */
const FOLLOW_EVERY_MS = 30_000
/** Of so many answers the quickest is believed: the less time it took, the less it can be off. */
const ASKED = 3

const databaseTime = sql<{ ms: number }>(
  'SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS ms',
)

/** When the database said what, by this machine's clocks. */
export interface TimeAnswer {
  readonly there_ms: number
  /** How long the answer took. */
  readonly took_ms: number
  /** When it came, by the clock that nobody sets. */
  readonly at_ms: number
}

/** Asks a PostgreSQL for its time. */
export async function askTime(db: Pick<Database, 'get'>): Promise<TimeAnswer> {
  const began = performance.now()
  const there_ms = (await db.get(databaseTime))?.ms ?? Date.now()
  const at_ms = performance.now()
  return { there_ms, took_ms: at_ms - began, at_ms }
}

async function askBest(db: Pick<Database, 'get'>): Promise<TimeAnswer> {
  const answers: TimeAnswer[] = []
  for (let asked = 0; asked < ASKED; asked++) answers.push(await askTime(db))
  return answers.reduce((best, one) => (one.took_ms < best.took_ms ? one : best))
}

/**
 * The system of a hub on this database. Hubs on one PostgreSQL compare times that each of them wrote (the ends of
 * leases, tokens, grants), so they all take them from the database. Between two answers the machine's steady clock
 * counts on, whatever its clock of the day is set to. A system whose time is not the machine's keeps its own.
 */
export async function onDatabaseTime(
  db: Database,
  system: System,
  /** Where it is left to be ended. */
  closing: (() => Promise<void>)[],
): Promise<System> {
  if (db.kind !== 'postgres' || system.now !== realNow) return system
  let answer = await askBest(db)
  // A database that does not answer is told elsewhere; its last answer counts on.
  const follow = () =>
    void askBest(db)
      .then((next) => (answer = next))
      .catch(() => {})
  const timer = setInterval(follow, FOLLOW_EVERY_MS).unref()
  closing.push(async () => clearInterval(timer))
  const now = () => {
    const { there_ms, took_ms, at_ms } = answer
    return new Date(Math.round(there_ms + took_ms / 2 + (performance.now() - at_ms)))
  }
  return { ...system, now }
}
