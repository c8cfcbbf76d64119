import { z } from 'zod'
import { BEFORE_NEWEST } from '../../../operations/page-cursor.ts'
import { type Reader, sql } from '../../../platform/storage/database.ts'
import { findAuthorization } from '../authorization/authorization-store.ts'
import { RUN_STATES } from '../runs/run-state.ts'
import { listRuns, progressOf, type RunRow } from '../runs/run-store.ts'
import { HEALTHS, healthOf, recoveryOf, verdictOf } from './connection-health.ts'
import { ScheduleShape } from './connection-shapes.ts'
import { requireListed } from './connection-store.ts'
import { defineConnectionOperation } from './define-connection-operation.ts'
import { nameConnection, prepareShowing, scheduleOf } from './show-connection.ts'

/** Health is judged by so many runs. */
const JUDGED_RUNS = 10

const RunShape = z.strictObject({
  run_id: z.string(),
  state: z.enum(RUN_STATES),
  cause: z.string(),
  attempt: z.int(),
  queued_at: z.string(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  records: z.int(),
  bytes: z.int(),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
})

const lastIngest = sql<{ at: string | null }>(
  'SELECT MAX(updated_at) AS at FROM record_streams WHERE connection_id = ?',
)
const lastGood = sql<RunRow>(
  `SELECT * FROM collection_runs WHERE connection_id = ? AND state = 'succeeded' ORDER BY queued_at DESC LIMIT 1`,
)

export const ConnectionDiagnosticsOutput = z.strictObject({
  object: z.literal('owner_connection_diagnostics'),
  connection_id: z.string(),
  connector_id: z.string(),
  connector_key: z.string(),
  display_name: z.string(),
  label_status: z.enum(['owner_set', 'fallback']),
  status: z.enum(['active', 'revoked']),
  health: z.enum(HEALTHS),
  last_run: RunShape.nullable(),
  last_successful_run: RunShape.nullable(),
  last_ingest_at: z.string().nullable(),
  schedule: ScheduleShape.nullable(),
  freshness: z.strictObject({
    last_success_at: z.string().nullable(),
    age_seconds: z.int().nullable(),
    is_stale: z.boolean(),
  }),
  recovery: z.strictObject({ action: z.string(), owner_required: z.boolean() }).nullable(),
  rendered_verdict: z.string(),
})

/** How a connection fares: its health, its last runs, its schedule. No credential and nothing collected. */
export const connectionDiagnostics = defineConnectionOperation({
  verb: 'diagnostics',
  summary: 'Tell how {} fares: its health, its last run and its schedule.',
  effect: 'read',
  method: 'GET',
  path: '/diagnostics',
  whileLocked: true,
  cli: 'owner connection diagnostics <connection_id>',
  errors: {},
  extra: {},
  output: ConnectionDiagnosticsOutput,
  present: async () => (await import('./present-connections.ts')).presentDiagnostics,
  spine: { event: 'owner_agent.connection.inspect', operation: 'inspect_diagnostics' },
  async handle({ db, hub, now, origin }, { connection_id }) {
    const row = await requireListed(db, connection_id)
    const runs = await listRuns(db, { connection_id, after: BEFORE_NEWEST, limit: JUDGED_RUNS })
    const good = await findLastGood(db, connection_id, runs)
    const standing = await findAuthorization(db, connection_id)
    const needs_owner = standing?.needs_owner_since != null
    const health = needs_owner && row.status === 'active' ? 'needs_attention' : healthOf(row, runs)
    const schedule = scheduleOf(row)
    return {
      object: 'owner_connection_diagnostics' as const,
      ...nameConnection(row, (await prepareShowing(hub, origin)).names),
      health,
      last_run: runs[0] ? showRun(runs[0]) : null,
      last_successful_run: good ? showRun(good) : null,
      last_ingest_at: (await db.get(lastIngest, connection_id))?.at ?? null,
      schedule,
      freshness: freshnessOf(good, schedule, now),
      recovery: recoveryOf(health, row),
      rendered_verdict: verdictOf(health),
    }
  },
})

async function findLastGood(db: Reader, connection_id: string, runs: readonly RunRow[]) {
  return runs.find(({ state }) => state === 'succeeded') ?? db.get(lastGood, connection_id)
}

function showRun(run: RunRow): z.infer<typeof RunShape> {
  const { run_id, state, cause, attempt, queued_at, started_at, ended_at, fault_code, fault_text } = run
  const { records, bytes } = progressOf(run)
  const error = fault_code === null ? null : { code: fault_code, message: fault_text ?? '' }
  return { run_id, state, cause, attempt, queued_at, started_at, ended_at, records, bytes, error }
}

/** What came with a schedule is stale when the schedule has passed it by twice. */
function freshnessOf(good: RunRow | undefined, schedule: z.infer<typeof ScheduleShape> | null, now: Date) {
  const last_success_at = good?.ended_at ?? null
  if (last_success_at === null) return { last_success_at, age_seconds: null, is_stale: false }
  const age_seconds = Math.max(0, Math.floor((now.getTime() - Date.parse(last_success_at)) / 1_000))
  const interval = schedule?.enabled ? schedule.interval_seconds : null
  return { last_success_at, age_seconds, is_stale: interval !== null && age_seconds > 2 * interval }
}
