import type { BootTime } from '../basics/process-name.ts'
import { type Database, type Reader, sql, type Transaction } from '../storage/database.ts'

/** A clock that shows more than this beyond what it was believed last is not believed at once. */
const BELIEVED_JUMP_MS = 3 * 86_400_000
/** What is not believed at once is caught up with at this pace: two days of retention in one day of running. */
const CATCH_UP = 2

/** So much a clock is corrected now and then. */
const CORRECTION_MS = 600_000

const BOOT_KEY = 'audit_retention_boot'
const readBoot = sql<{ value: string }>(`SELECT value FROM hub_meta WHERE key = '${BOOT_KEY}'`)
const writeBoot = sql(
  `INSERT INTO hub_meta (key, value) VALUES ('${BOOT_KEY}', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
)
const KEY = 'audit_retention_time'
const readTime = sql<{ value: string }>(`SELECT value FROM hub_meta WHERE key = '${KEY}'`)
const writeTime = sql(
  `INSERT INTO hub_meta (key, value) VALUES ('${KEY}', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
)
const beginTime = sql(`INSERT INTO hub_meta (key, value) VALUES ('${KEY}', ?) ON CONFLICT DO NOTHING`)
const newestRecord = sql<{ at: string }>('SELECT at FROM audit_records ORDER BY seq DESC LIMIT 1')

/**
 * Notes what the newest record says of the time, where nothing is known of it yet. A hub does so before it writes its
 * own first record: a clock that is wrong must not vouch for itself.
 */
export async function beginRetentionTime(db: Database): Promise<void> {
  if (await db.get(readTime)) return
  const newest = await db.get(newestRecord)
  if (newest) await db.transaction((tx) => tx.run(beginTime, newest.at))
}

async function lastBelieved(db: Reader): Promise<number | undefined> {
  const text = (await db.get(readTime))?.value ?? (await db.get(newestRecord))?.at
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? undefined : time
}

interface Ran {
  /** How long this process has been running since it looked last. */
  readonly ran_ms: number
  /** How long the machine has been on, where it tells. */
  readonly boot: BootTime | undefined
}

/**
 * The time by which records are taken for old. A clock that agrees with the log is believed; one that has jumped ahead
 * of it is followed only as fast as time has really gone by. While the machine stays on it knows how long that was, so
 * many small jumps get no further than a large one.
 */
export async function believeTime(tx: Transaction, now: Date, { ran_ms, boot }: Ran): Promise<Date> {
  const last = await lastBelieved(tx)
  const went_ms = await findElapsed(tx, boot)
  if (boot) await tx.run(writeBoot, JSON.stringify(boot))
  const shown = now.getTime()
  const ahead = last === undefined ? 0 : shown - last
  const limit = went_ms === undefined ? BELIEVED_JUMP_MS : went_ms * CATCH_UP + CORRECTION_MS
  if (last === undefined || ahead <= limit) {
    // Set back, it takes nothing back: the right time would look like a jump afterwards.
    await tx.run(writeTime, new Date(Math.max(shown, last ?? shown)).toISOString())
    return now
  }
  const passed = Math.max(0, went_ms ?? ran_ms)
  const believed = new Date(last + Math.min(ahead, passed * CATCH_UP))
  await tx.run(writeTime, believed.toISOString())
  return believed
}

/** How long it is since a hub on this machine looked last; undefined where the machine was started anew meanwhile. */
async function findElapsed(db: Reader, boot: BootTime | undefined): Promise<number | undefined> {
  const found = boot && (await db.get(readBoot))
  if (!found) return undefined
  const before = JSON.parse(found.value) as BootTime
  return before.boot === boot.boot && before.ms <= boot.ms ? boot.ms - before.ms : undefined
}

/** How far the clock is ahead of what is believed of it, where that is too far; undefined where it agrees. */
export async function findDisbelief(db: Reader, now: Date): Promise<{ believed: string } | undefined> {
  const last = await lastBelieved(db)
  if (last === undefined || now.getTime() - last <= BELIEVED_JUMP_MS) return undefined
  return { believed: new Date(last).toISOString() }
}
