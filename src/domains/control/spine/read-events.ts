import { traceIdOf } from '../../../operations/call.ts'
import type { Hub } from '../../../operations/hub.ts'
import { type ChainedRecord, STRANGER } from '../../../platform/audit/audit-record.ts'
import { sql } from '../../../platform/storage/database.ts'
import type { JsonObject } from '../connectors/connector.ts'
import { actorOf } from './spine-event.ts'

const PAGE = 500
/** One call looks at no more records than this; a list that ends sooner goes on from there. */
const LOOK_LIMIT = 20_000

interface Wanted {
  readonly connection_id: string | undefined
  readonly before: number
  readonly limit: number
}

/** What a page of events is made of, and where the next one begins. */
interface EventPage {
  readonly events: JsonObject[]
  readonly next: number | undefined
}

type Row = ChainedRecord & { event_json: string | null; about: string | null }

const older = sql<Row>(
  `SELECT a.*, e.event_json, e.object_id AS about FROM audit_records a
   LEFT JOIN owner_events e ON e.seq = a.seq AND a.target_kind = 'owner_event'
   WHERE a.seq < ? ORDER BY a.seq DESC LIMIT ?`,
)

/**
 * Events, newest first, and between them what was only looked at on the owner's surface. A read has no event of its own:
 * the record that the audit log has of it says as much, and no more can be done to it than to the log.
 */
export async function listWithReads(
  { db, findOperation }: Pick<Hub, 'db' | 'findOperation'>,
  wanted: Wanted,
): Promise<EventPage> {
  const isRead = knownReads(findOperation)
  const events: JsonObject[] = []
  let before = wanted.before
  for (let looked = 0; looked < LOOK_LIMIT; looked += PAGE) {
    if (looked > 0) await new Promise((turn) => setImmediate(turn))
    const page = await db.all(older, before, PAGE)
    for (const row of page) {
      if (events.length >= wanted.limit) return { events, next: before }
      before = row.seq
      if (wanted.connection_id !== undefined && aboutOf(row) !== wanted.connection_id) continue
      if (row.event_json !== null) events.push(JSON.parse(row.event_json) as JsonObject)
      else if (row.caller_kind !== STRANGER && (await isRead(row.operation))) events.push(readEvent(row))
    }
    if (page.length < PAGE) return { events, next: undefined }
  }
  return { events, next: before }
}

/** Which connection it concerns. */
function aboutOf({ event_json, about, target_kind, target_id }: Row): string | null {
  if (event_json !== null) return about
  return target_kind === 'connection' ? target_id : null
}

/** Which operations look at what is the owner's and change nothing. */
function knownReads(findOperation: Hub['findOperation']): (name: string) => Promise<boolean> {
  const known = new Map<string, boolean>()
  return async (name) => {
    if (!known.has(name)) {
      const operation = await findOperation(name)
      known.set(name, operation?.authority.kind === 'owner_surface' && operation.effect === 'read')
    }
    return known.get(name) === true
  }
}

function readEvent(row: Row): JsonObject {
  const actor = actorOf({ kind: row.caller_kind, id: row.caller_id, client: row.client })
  const status = row.outcome === 'allowed' ? 'succeeded' : 'failed'
  const type = row.target_kind ?? 'owner_surface'
  return {
    object: 'owner_event',
    event_id: `oev_read_${row.seq}`,
    occurred_at: row.at,
    event_type: 'owner_agent.read',
    actor_type: actor.kind,
    actor_id: actor.client_id ?? actor.subject_id,
    client_id: actor.client_id,
    subject_type: 'subject',
    subject_id: actor.subject_id,
    object_type: type,
    object_id: row.target_id,
    status,
    request_id: row.request_id,
    trace_id: row.request_id === null ? null : traceIdOf(row.request_id),
    scenario_id: null,
    data: {
      actor_kind: actor.kind,
      auth_token_kind: actor.token_kind,
      client_id: actor.client_id,
      client_name: actor.client_name,
      connection_id: aboutOf(row),
      connector_key: null,
      operation: row.operation,
      outcome: status,
      target_resource: row.target_id === null ? type : `${type}/${row.target_id}`,
      ...(row.code !== null && { error: { code: row.code } }),
      ...(row.repeats > 1 && { calls: row.repeats }),
    },
  }
}
