import { hash } from 'node:crypto'
import type { Hub } from '../../../operations/hub.ts'
import { type AuditRecord, NO_REFERENCES } from '../../../platform/audit/audit-record.ts'
import { type Reader, sql, type Transaction } from '../../../platform/storage/database.ts'
import type { JsonObject } from '../connectors/connector.ts'
import { type SpineEnd, spineEvent, type TracedCall } from './spine-event.ts'

/** An event as it lies in the store. Its number is that of the audit record that seals it. */
export interface StoredEvent {
  seq: number
  event_id: string
  at: string
  event_type: string
  status: string
  object_id: string | null
  event_json: string
}

const COLUMNS = 'seq, event_id, at, event_type, status, object_id, event_json'
const insert = sql(`INSERT INTO owner_events (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`)
const newest = sql<StoredEvent>(`SELECT ${COLUMNS} FROM owner_events WHERE seq < ? ORDER BY seq DESC LIMIT ?`)
const newestOf = sql<StoredEvent>(
  `SELECT ${COLUMNS} FROM owner_events WHERE object_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
)
const prune = sql('DELETE FROM owner_events WHERE seq < (SELECT MIN(seq) FROM audit_records)')

/** What the audit record of an event names: a change to the event no longer fits it. */
export function sealOf(event_id: string, event_json: string): string {
  return `${event_id}:${hash('sha256', event_json)}`
}

/** Keeps an event together with the audit record that seals it, in the transaction of what it tells of. */
export async function appendEvent(tx: Transaction, hub: Hub, call: TracedCall, end: SpineEnd): Promise<void> {
  const event_id = `oev_${hub.system.random(12)}`
  const text = canonicalJson(spineEvent(event_id, call, end))
  // Others wait at the head of the chain from here on, so the next number is ours.
  const { seq } = await hub.audit.lockHead(tx)
  const status = end.error ? 'failed' : 'succeeded'
  const about = end.object.connection_id ?? end.object.id ?? null
  await tx.run(insert, seq + 1, event_id, call.now.toISOString(), end.event, status, about, text)
  await hub.audit.appendIn(tx, [sealingRecord(call, end, sealOf(event_id, text))])
}

function sealingRecord(call: TracedCall, { event, error }: SpineEnd, target_id: string): AuditRecord {
  const { caller, vault_id, surface, now } = call
  const refused = (error?.http_status ?? 0) >= 500 ? 'failed' : 'denied'
  return {
    at: now.toISOString(),
    vault_id,
    surface,
    caller_kind: caller.kind,
    caller_id: caller.id,
    client: caller.client,
    operation: event,
    target_kind: 'owner_event',
    target_id,
    outcome: error ? refused : 'allowed',
    code: error?.code ?? null,
    duration_us: 0,
    policy_revision: 'none',
    repeats: 1,
    ...NO_REFERENCES,
    request_id: call.request_id,
  }
}

/** Events before a number, newest first; all, or those of one connection. */
export function listEvents(
  db: Reader,
  object_id: string | undefined,
  before: number,
  limit: number,
): Promise<StoredEvent[]> {
  return object_id === undefined ? db.all(newest, before, limit) : db.all(newestOf, object_id, before, limit)
}

/** Lets events go with the audit records that seal them. */
export async function pruneEvents(tx: Transaction): Promise<void> {
  await tx.run(prune)
}

/** One text for one value: the keys in order. */
function canonicalJson(value: JsonObject): string {
  return JSON.stringify(value, (_key, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
