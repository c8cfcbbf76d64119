import { z } from 'zod'
import { ownerSession } from '../../../operations/authority.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { listWithReads } from './read-events.ts'
import { listEvents } from './spine-store.ts'

const PAGE_LIMIT = 200
const CURSOR = /^[1-9]\d{0,14}$/

const EventShape = z.looseObject({
  object: z.literal('owner_event'),
  event_id: z.string(),
  occurred_at: z.string(),
  event_type: z.string(),
  actor_type: z.string(),
  object_type: z.string(),
  object_id: z.string().nullable(),
  status: z.enum(['succeeded', 'failed']),
  request_id: z.string().nullable(),
  data: z.looseObject({ operation: z.string(), outcome: z.string() }),
})

export const OwnerEventListOutput = z.strictObject({
  object: z.literal('list'),
  data: z.array(EventShape),
  next_cursor: z.string().nullable(),
})

/** What was done, and tried, on the owner's surface. */
export const ownerEventList = defineOwnerOperation({
  name: 'owner_event_list',
  summary: "List what was done and tried on the owner's surface, newest first.",
  effect: 'read',
  authority: ownerSession(),
  whileLocked: true,
  rest: 'GET /_ref/events',
  cli: 'owner event list',
  errors: {},
  input: z.strictObject({
    connection_id: z.string().min(1).max(200).optional().describe('Only what concerns this connection'),
    reads: z.boolean().default(false).describe('Also what was only looked at, by you and by your agents'),
    cursor: z.string().regex(CURSOR).optional().describe('Where the page before ended, as `next_cursor`'),
    limit: z.int().min(1).max(PAGE_LIMIT).default(50).describe('At most so many'),
  }),
  output: OwnerEventListOutput,
  present: async () => (await import('./present-events.ts')).presentOwnerEvents,
  async handle({ input, db, hub }) {
    const before = input.cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(input.cursor)
    const { connection_id, limit } = input
    if (input.reads) {
      const wanted = { connection_id, before, limit }
      const { events, next } = await hub.longLooks.run(() => listWithReads(hub, wanted))
      const next_cursor = next === undefined ? null : String(next)
      return { object: 'list' as const, data: events as z.infer<typeof EventShape>[], next_cursor }
    }
    const found = await listEvents(db, connection_id, before, limit + 1)
    const rows = found.slice(0, limit)
    const last = rows.at(-1)
    return {
      object: 'list' as const,
      data: rows.map(({ event_json }) => JSON.parse(event_json) as z.infer<typeof EventShape>),
      next_cursor: found.length > rows.length && last ? String(last.seq) : null,
    }
  },
})
