import { z } from 'zod'
import { CONNECTION_STATUSES } from './connection-store.ts'

/** One action as the catalog tells it. */
export const ActionShape = z.strictObject({
  family: z.string(),
  status: z.enum(['supported', 'owner_mediated', 'unsupported']),
  method: z.string().nullable(),
  url: z.string().nullable(),
  reason: z.string(),
})

/** When a connection collects by itself. */
export const ScheduleShape = z.strictObject({
  enabled: z.boolean(),
  interval_seconds: z.int().nullable(),
  cron: z.string().nullable(),
  timezone: z.string(),
  next_run_at: z.string().nullable(),
})

/** Which connection, and what it is called. */
const named = {
  connection_id: z.string(),
  connector_id: z.string(),
  connector_key: z.string(),
  display_name: z.string(),
  label_status: z.enum(['owner_set', 'fallback']),
  status: z.enum(CONNECTION_STATUSES),
}

/** A connection as it is shown. */
export const ConnectionShape = z.strictObject({
  object: z.literal('owner_connection'),
  ...named,
  connector_instance_id: z.string().describe('Deprecated: the same as connection_id'),
  source_kind: z.string(),
  source_binding: z.strictObject({ kind: z.string(), device_id: z.string().nullable() }),
  schedule: ScheduleShape.nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  revoked_at: z.string().nullable(),
  supported_actions: z.array(ActionShape),
})

/** A connection as its connector's template names it. */
export const ConnectionSummaryShape = z.strictObject({
  object: z.literal('owner_connection_summary'),
  ...named,
})
