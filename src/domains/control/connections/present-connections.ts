import type { z } from 'zod'
import { withNextPage } from '../../../operations/present/list-end.ts'
import type { Page } from '../../../operations/present/page.ts'
import { renderPairs } from '../../../operations/present/present-any.ts'
import { renderTable } from '../../../operations/present/table.ts'
import { spanOf } from '../../../platform/basics/duration.ts'
import { counted } from '../../../platform/basics/printable.ts'
import type { ScheduleAnswer } from '../schedules/schedule-operations.ts'
import type { ConnectionDiagnosticsOutput } from './connection-diagnostics.ts'
import type { OwnerConnectionListOutput } from './connection-list.ts'
import type { ConnectionShape, ScheduleShape } from './connection-shapes.ts'

/** The owner's connections, a line each. */
export function presentConnections(
  { data, next_cursor }: z.output<typeof OwnerConnectionListOutput>,
  page: Page,
): string {
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
export function presentConnection(
  { supported_actions, schedule, ...one }: z.output<typeof ConnectionShape>,
  page: Page,
): string {
  const single = Object.entries(one).filter(
    ([key, value]) => key !== 'object' && (typeof value !== 'object' || value === null),
  )
  const actions = supported_actions.map(({ family, status, reason }) => [family, status, reason])
  return [
    renderPairs([...single, ['schedule', scheduleOf(schedule)]], page),
    renderTable(['action', 'status', 'what it does'], actions, page),
  ].join('\n\n')
}

function scheduleOf(schedule: z.output<typeof ScheduleShape> | null): string {
  if (!schedule) return '-'
  const times = schedule.cron ?? `every ${spanOf(schedule.interval_seconds ?? 0)}`
  return schedule.enabled ? times : `${times} (paused)`
}

/** How a connection fares. */
export function presentDiagnostics(one: z.output<typeof ConnectionDiagnosticsOutput>, page: Page): string {
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

/** When a connection is collected by itself. */
export function presentSchedule(
  { connection_id, schedule }: z.output<typeof ScheduleAnswer>,
  page: Page,
): string {
  const zone = schedule.cron === null ? '' : ` (${schedule.timezone})`
  const pairs: [string, unknown][] = [
    ['connection', connection_id],
    ['schedule', `${scheduleOf(schedule)}${zone}`],
    ['next run', schedule.next_run_at],
  ]
  return renderPairs(pairs, page)
}
