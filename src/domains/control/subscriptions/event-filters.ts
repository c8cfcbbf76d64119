import { z } from 'zod'
import { EVENT_TYPES } from './event-types.ts'

const LIST_LIMIT = 100
const Name = z.string().min(1).max(200)

/** Which events a subscription is for. What is left out narrows nothing. */
export const EventFilters = z.strictObject({
  streams: z.array(Name).min(1).max(LIST_LIMIT).optional().describe('Only events about one of these streams'),
  connection_ids: z
    .array(Name)
    .min(1)
    .max(LIST_LIMIT)
    .optional()
    .describe('Only events of these connections'),
  types: z
    .array(z.enum(EVENT_TYPES))
    .min(1)
    .max(EVENT_TYPES.length)
    .optional()
    .describe('Only events of these types'),
})
export type EventFilters = z.infer<typeof EventFilters>

/** What filters look at. */
export interface Filtered {
  readonly type: string
  readonly stream?: string
  readonly connection_id?: string
}

/** Whether a subscription with these filters is told of an event. One about no stream or connection is of none of them. */
export function isWanted(filters: EventFilters, { type, stream, connection_id }: Filtered): boolean {
  const { streams, connection_ids, types } = filters
  if (streams && (stream === undefined || !streams.includes(stream))) return false
  if (connection_ids && (connection_id === undefined || !connection_ids.includes(connection_id))) return false
  return !types || (types as readonly string[]).includes(type)
}
