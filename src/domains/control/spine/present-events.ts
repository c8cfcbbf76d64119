import type { z } from 'zod'
import { withNextPage } from '../../../operations/present/list-end.ts'
import type { Page } from '../../../operations/present/page.ts'
import { cellOf, renderTable } from '../../../operations/present/table.ts'
import type { OwnerEventListOutput } from './event-list.ts'
import type { OwnerEventVerifyOutput } from './event-verify.ts'

/** What was done and tried, a line each. */
export function presentOwnerEvents(
  { data, next_cursor }: z.output<typeof OwnerEventListOutput>,
  page: Page,
): string {
  if (data.length === 0) return 'No events.'
  const rows = data.map(({ occurred_at, actor_id, object_id, status, data: { operation, error } }) => [
    occurred_at,
    actor_id,
    operation,
    object_id,
    codeOf(error) ? `${status}: ${codeOf(error)}` : status,
  ])
  const table = renderTable(['at', 'who', 'what', 'on', 'outcome'], rows, page)
  return withNextPage(table, '--cursor', next_cursor, page)
}

/** What a failed call was refused with. */
function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? cellOf(error.code) : ''
}

/** Whether the events are those that the audit log sealed. */
export function presentEventCheck(
  { sound, checked, faults }: z.output<typeof OwnerEventVerifyOutput>,
  page: Page,
): string {
  if (sound) return `The events are intact: ${checked} of them, each as the audit log sealed it.`
  const rows = faults.map(({ seq, event_id, fault }) => [seq, event_id, fault])
  return `The events are NOT intact.\n${renderTable(['seq', 'event', 'fault'], rows, page)}`
}
