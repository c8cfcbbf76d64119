import type { System } from '../basics/system.ts'
import { type Database, type Reader, sql, type Transaction } from '../storage/database.ts'
import { firstIdAt, makeEventId } from './event-id.ts'
import { type EventKind, type KeptEvent, type SecurityEvent, WINDOW_MS } from './security-event.ts'

/** So many refusals of one agent in a minute are written one by one before they are joined. */
export const WRITTEN_SINGLY = 100
/** Joined refusals of one kind become one row for each stretch of this length. */
const JOINED_MS = 10_000

interface EventRow {
  event_id: string
  vault_id: string
  kind: EventKind
  timestamp: string
  agent_id: string
  violation_type: string
  target_path: string | null
  command_args: string
  severity: SecurityEvent['severity']
  repeats: number
}

const COLUMNS =
  'event_id, vault_id, kind, timestamp, agent_id, violation_type, target_path, command_args, severity, repeats'
// Two hubs on one PostgreSQL must not both count up to five: an agent's events go one after the other.
const lockAgent = sql<{ locked: string }>(`SELECT '' AS locked FROM pg_advisory_xact_lock(4748, hashtext(?))`)
const insert = sql(`INSERT INTO toolbox_events (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
const countRecent = sql<{ rows_written: number; refusals: number }>(
  `SELECT COUNT(*) AS rows_written, CAST(COALESCE(SUM(repeats), 0) AS INTEGER) AS refusals
   FROM toolbox_events
   WHERE agent_id = ? AND kind = ? AND event_id >= ? AND timestamp >= ? AND timestamp <= ?`,
)
const findJoinable = sql<{ event_id: string }>(
  `SELECT event_id FROM toolbox_events
   WHERE agent_id = ? AND event_id >= ? AND vault_id = ? AND kind = ? AND violation_type = ? AND severity = ?
   ORDER BY event_id DESC LIMIT 1`,
)
const join = sql('UPDATE toolbox_events SET repeats = repeats + 1, timestamp = ? WHERE event_id = ?')

/**
 * Keeps an event and answers how many of its kind the agent has had in the window, this one included.
 * A flood of refusals is joined into rows with a count; what was done always has a row of its own.
 */
export async function storeEvent(
  tx: Transaction,
  hub: { db: Pick<Database, 'kind'>; system: System },
  event: KeptEvent,
): Promise<number> {
  if (hub.db.kind === 'postgres') await tx.get(lockAgent, event.agent_id)
  const now = Date.parse(event.timestamp)
  const before = await readRecent(tx, event, now)
  const isFlood = event.kind !== 'done' && before.rows_written >= WRITTEN_SINGLY
  if (!isFlood || !(await joinEvent(tx, event, now)))
    await tx.run(insert, ...valuesOf(event, makeEventId(hub.system, new Date(now))))
  return before.refusals + 1
}

/** Clocks of several hubs may differ a little: what lies shortly ahead counts too, but no more than that. */
async function readRecent(tx: Transaction, { agent_id, kind }: KeptEvent, now: number) {
  const oldestId = firstIdAt(now - WINDOW_MS - JOINED_MS)
  const [from, to] = [now - WINDOW_MS, now + WINDOW_MS].map((time) => new Date(time).toISOString())
  const found = await tx.get(countRecent, agent_id, kind, oldestId, from as string, to as string)
  return found ?? { rows_written: 0, refusals: 0 }
}

async function joinEvent(tx: Transaction, event: KeptEvent, now: number): Promise<boolean> {
  const { agent_id, vault_id, kind, violation_type, severity } = event
  const since = firstIdAt(now - JOINED_MS)
  const found = await tx.get(findJoinable, agent_id, since, vault_id, kind, violation_type, severity)
  if (!found) return false
  await tx.run(join, event.timestamp, found.event_id)
  return true
}

function valuesOf(event: KeptEvent, event_id: string) {
  return [
    event_id,
    event.vault_id,
    event.kind,
    event.timestamp,
    event.agent_id,
    event.violation_type,
    event.target_path,
    JSON.stringify(event.command_args),
    event.severity,
    1,
  ] as const
}

/** An event as it is shown; `repeats` only on a row that stands for several. */
export type ListedEvent = Omit<SecurityEvent, 'command_args'> & {
  command_args: string[]
  repeats?: number | undefined
}

export interface EventPage {
  events: ListedEvent[]
  /** Where to go on, or null when there are no older ones. */
  next_before: string | null
}

const PAGE_END = 'ORDER BY event_id DESC LIMIT ?'
const ofVault = sql<EventRow>(
  `SELECT ${COLUMNS} FROM toolbox_events WHERE vault_id = ? AND event_id < ? ${PAGE_END}`,
)
const ofAgent = sql<EventRow>(
  `SELECT ${COLUMNS} FROM toolbox_events WHERE vault_id = ? AND agent_id = ? AND event_id < ? ${PAGE_END}`,
)
/** Sorts after every id. */
const AFTER_ALL = 'evt_g'

/** The newest events of a vault, of one agent where one is named. */
export async function listEvents(
  db: Reader,
  wanted: { vault_id: string; agent_id?: string | undefined; before?: string | undefined; limit: number },
): Promise<EventPage> {
  const { vault_id, agent_id, before = AFTER_ALL, limit } = wanted
  const rows =
    agent_id === undefined
      ? await db.all(ofVault, vault_id, before, limit + 1)
      : await db.all(ofAgent, vault_id, agent_id, before, limit + 1)
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return { events: shown.map(toEvent), next_before: last?.event_id ?? null }
}

function toEvent(row: EventRow): ListedEvent {
  return {
    timestamp: row.timestamp,
    agent_id: row.agent_id,
    violation_type: row.violation_type,
    target_path: row.target_path,
    command_args: JSON.parse(row.command_args) as string[],
    severity: row.severity,
    ...(row.repeats > 1 && { repeats: row.repeats }),
  }
}
