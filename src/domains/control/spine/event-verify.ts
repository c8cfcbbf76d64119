import { z } from 'zod'
import { ownerSession } from '../../../operations/authority.ts'
import { type Reader, sql } from '../../../platform/storage/database.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { type StoredEvent, sealOf } from './spine-store.ts'

const PAGE_SIZE = 1_000
const FAULTS_LIMIT = 100

type Sealed = { seal_seq: number; target_id: string } & {
  [Name in keyof StoredEvent]: StoredEvent[Name] | null
}

const sealed = sql<Sealed>(
  `SELECT a.seq AS seal_seq, a.target_id, e.seq, e.event_id, e.at, e.event_type, e.status, e.object_id, e.event_json
   FROM audit_records a LEFT JOIN owner_events e ON e.seq = a.seq
   WHERE a.target_kind = 'owner_event' AND a.seq > ? ORDER BY a.seq LIMIT ?`,
)
const unsealed = sql<{ seq: number; event_id: string }>(
  `SELECT e.seq, e.event_id FROM owner_events e
   LEFT JOIN audit_records a ON a.seq = e.seq AND a.target_kind = 'owner_event'
   WHERE a.seq IS NULL ORDER BY e.seq LIMIT ?`,
)

const FaultShape = z.strictObject({
  seq: z.int(),
  event_id: z.string().nullable(),
  fault: z.enum(['changed', 'missing', 'added']),
})
type EventFault = z.infer<typeof FaultShape>

export const OwnerEventVerifyOutput = z.strictObject({
  object: z.literal('owner_event_check'),
  sound: z.boolean(),
  checked: z.int(),
  faults: z.array(FaultShape),
})

/** Holds the events against the audit records that seal them. Whether those are sound, `audit verify` tells. */
export const ownerEventVerify = defineOwnerOperation({
  name: 'owner_event_verify',
  summary: 'Tell whether an event was changed, removed or added behind the back of the audit log.',
  effect: 'read',
  authority: ownerSession(),
  whileLocked: true,
  rest: 'GET /_ref/events/verify',
  cli: 'owner event verify',
  errors: {},
  input: z.strictObject({}),
  output: OwnerEventVerifyOutput,
  present: async () => (await import('./present-events.ts')).presentEventCheck,
  async handle({ db }) {
    const { checked, faults } = await checkSealed(db)
    for (const { seq, event_id } of await db.all(unsealed, FAULTS_LIMIT))
      faults.push({ seq, event_id, fault: 'added' })
    return {
      object: 'owner_event_check' as const,
      sound: faults.length === 0,
      checked,
      faults: faults.slice(0, FAULTS_LIMIT),
    }
  },
})

async function checkSealed(db: Reader): Promise<{ checked: number; faults: EventFault[] }> {
  const faults: EventFault[] = []
  let checked = 0
  let last = 0
  for (;;) {
    const rows = await db.all(sealed, last, PAGE_SIZE)
    checked += rows.length
    faults.push(...rows.flatMap(findFault))
    last = rows.at(-1)?.seal_seq ?? last
    if (rows.length < PAGE_SIZE || faults.length >= FAULTS_LIMIT) return { checked, faults }
  }
}

function findFault(row: Sealed): EventFault[] {
  const { seal_seq: seq, target_id, event_id, event_json } = row
  if (event_id === null || event_json === null)
    return [{ seq, event_id: target_id.split(':')[0] ?? null, fault: 'missing' }]
  return sealOf(event_id, event_json) === target_id && isColumnsTrue(row, event_json)
    ? []
    : [{ seq, event_id, fault: 'changed' }]
}

/** What lists are searched by says the same as the event itself. */
function isColumnsTrue(row: Sealed, event_json: string): boolean {
  const event = JSON.parse(event_json) as Record<string, unknown> & { data: Record<string, unknown> }
  return (
    row.at === event.occurred_at &&
    row.event_type === event.event_type &&
    row.status === event.status &&
    row.object_id === (event.data.connection_id ?? event.object_id)
  )
}
