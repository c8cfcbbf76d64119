import { counted } from '../../../platform/basics/counted.ts'
import { spanOf } from '../duration.ts'
import { withLeftOut, withNextPage } from './list-end.ts'
import type { Page } from './page.ts'
import { renderPairs } from './present-any.ts'
import { cellOf, renderTable } from './table.ts'

interface Action {
  family: string
  status: string
  reason: string
}

interface Connection {
  connection_id: string
  connector_id: string
  display_name: string
  status: string
  created_at: string
  schedule: Schedule | null
  supported_actions: Action[]
}

interface Schedule {
  enabled: boolean
  interval_seconds: number | null
  cron: string | null
  timezone: string
  next_run_at: string | null
}

/** The owner's connections, a line each. */
export function presentConnections(body: unknown, page: Page): string {
  const { data, next_cursor } = body as { data: Connection[]; next_cursor: string | null }
  if (data.length === 0) return 'No connections. Begin one with `knowtation owner intent create <connector>`.'
  const rows = data.map((one) => [
    one.connection_id,
    one.connector_id,
    one.display_name,
    one.status,
    scheduleOf(one.schedule),
    one.created_at,
  ])
  const table = renderTable(['connection', 'connector', 'name', 'status', 'schedule', 'since'], rows, page)
  return withNextPage(table, '--cursor', next_cursor, page)
}

/** One connection, and what can be done to it. */
export function presentConnection(body: unknown, page: Page): string {
  const { supported_actions, schedule, ...one } = body as Connection & Record<string, unknown>
  const single = Object.entries(one).filter(
    ([key, value]) => key !== 'object' && (typeof value !== 'object' || value === null),
  )
  const actions = supported_actions.map(({ family, status, reason }) => [family, status, reason])
  return [
    renderPairs([...single, ['schedule', scheduleOf(schedule)]], page),
    renderTable(['action', 'status', 'what it does'], actions, page),
  ].join('\n\n')
}

function scheduleOf(schedule: Schedule | null): string {
  if (!schedule) return '-'
  const times = schedule.cron ?? `every ${spanOf(schedule.interval_seconds ?? 0)}`
  return schedule.enabled ? times : `${times} (paused)`
}

/** When a connection is collected by itself. */
export function presentSchedule(body: unknown, page: Page): string {
  const { connection_id, schedule } = body as { connection_id: string; schedule: Schedule }
  const zone = schedule.cron === null ? '' : ` (${schedule.timezone})`
  const pairs: [string, unknown][] = [
    ['connection', connection_id],
    ['schedule', `${scheduleOf(schedule)}${zone}`],
    ['next run', schedule.next_run_at],
  ]
  return renderPairs(pairs, page)
}

interface ShownRun {
  run_id: string
  state: string
  queued_at: string
  records: number
  error: { code: string; message: string } | null
}

interface Diagnostics extends Connection {
  health: string
  rendered_verdict: string
  last_run: ShownRun | null
  last_ingest_at: string | null
  freshness: { last_success_at: string | null; is_stale: boolean }
  recovery: { action: string; owner_required: boolean } | null
}

/** How a connection fares. */
export function presentDiagnostics(body: unknown, page: Page): string {
  const one = body as Diagnostics
  const { last_run: run, freshness, recovery } = one
  const pairs: [string, unknown][] = [
    ['connection', one.connection_id],
    ['name', `${one.display_name} (${one.connector_id})`],
    ['status', one.status],
    ['health', one.health],
    ['', one.rendered_verdict],
    [
      'last run',
      run && `${run.run_id}: ${run.state}, ${counted(run.records, 'record')}, queued ${run.queued_at}`,
    ],
    ['last success', `${freshness.last_success_at ?? '-'}${freshness.is_stale ? ' (stale)' : ''}`],
    ['last change', one.last_ingest_at],
    ['schedule', scheduleOf(one.schedule)],
    ['next run', one.schedule?.next_run_at],
  ]
  if (run?.error) pairs.push(['error', `${run.error.code}: ${run.error.message}`])
  if (recovery)
    pairs.push(['to mend it', `${recovery.action}${recovery.owner_required ? ' (the owner)' : ''}`])
  return renderPairs(pairs, page)
}

interface Template {
  connector_id: string
  display_name: string
  connection_count: number
  setup_plan: { support_state: string; next_step_kind: string }
}

/** The connectors, a line each, and what is wrong with those that cannot be used. */
export function presentConnectors(body: unknown, page: Page): string {
  const { data, faults } = body as { data: Template[]; faults: { connector: string; message: string }[] }
  const rows = data.map(({ connector_id, display_name, connection_count, setup_plan }) => [
    connector_id,
    display_name,
    setup_plan.support_state,
    setup_plan.next_step_kind,
    connection_count,
  ])
  const table = renderTable(['connector', 'name', 'support', 'first step', 'connections'], rows, page)
  const broken = faults.map(
    ({ connector, message }) => `${cellOf(connector)} cannot be used: ${cellOf(message)}`,
  )
  return [table, ...broken].join('\n')
}

interface Event {
  occurred_at: string
  actor_id: string
  object_id: string | null
  status: string
  data: { operation: string; error?: { code: string } }
}

/** What was done and tried, a line each. */
export function presentOwnerEvents(body: unknown, page: Page): string {
  const { data, next_cursor } = body as { data: Event[]; next_cursor: string | null }
  if (data.length === 0) return 'No events.'
  const rows = data.map(({ occurred_at, actor_id, object_id, status, data: { operation, error } }) => [
    occurred_at,
    actor_id,
    operation,
    object_id,
    error ? `${status}: ${error.code}` : status,
  ])
  const table = renderTable(['at', 'who', 'what', 'on', 'outcome'], rows, page)
  return withNextPage(table, '--cursor', next_cursor, page)
}

interface EventFault {
  seq: number
  event_id: string | null
  fault: string
}

/** Whether the events are those that the audit log sealed. */
export function presentEventCheck(body: unknown, page: Page): string {
  const { sound, checked, faults } = body as { sound: boolean; checked: number; faults: EventFault[] }
  if (sound) return `The events are intact: ${checked} of them, each as the audit log sealed it.`
  const rows = faults.map(({ seq, event_id, fault }) => [seq, event_id, fault])
  return `The events are NOT intact.\n${renderTable(['seq', 'event', 'fault'], rows, page)}`
}

interface Device {
  device_id: string
  device_name: string
  enrolled_at: string
  connection_id: string | null
}

/** The machines with a local collector, a line each. */
export function presentDevices(body: unknown, page: Page): string {
  const { data, truncated } = body as { data: Device[]; truncated: boolean }
  if (data.length === 0)
    return 'No collector is enrolled. `knowtation owner intent create folder` begins one.'
  const rows = data.map((one) => [one.device_id, one.device_name, one.connection_id, one.enrolled_at])
  const table = renderTable(['device', 'name', 'connection', 'since'], rows, page)
  return withLeftOut(table, truncated, page)
}
