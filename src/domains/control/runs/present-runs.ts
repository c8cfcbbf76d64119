import type { z } from 'zod'
import { withLeftOut, withNextPage } from '../../../operations/present/list-end.ts'
import type { Page } from '../../../operations/present/page.ts'
import { cellOf, renderTable } from '../../../operations/present/table.ts'
import { counted, printableLine } from '../../../platform/basics/printable.ts'
import type { OwnerRunLiveListOutput } from './run-cancel.ts'
import type { ConnectionRunOutput } from './run-connection.ts'
import type { OwnerRunListOutput, OwnerRunWatchOutput } from './run-reads.ts'
import type { RunShape } from './run-shapes.ts'

export type ShownRun = z.output<typeof RunShape>
/** The runs of one connection have pages; those of all that are under way are cut. */
type CollectionRuns = z.output<typeof OwnerRunListOutput> | z.output<typeof OwnerRunLiveListOutput>

/** How many records a run has read, and of how many where its source tells. */
export function describeCount({ records, total }: Pick<ShownRun['progress'], 'records' | 'total'>): string {
  return total === null ? counted(records, 'record') : `${records} of ${counted(total, 'record')}`
}

/** How far a run is, in a line. */
export function describeProgress({ status, progress }: Pick<ShownRun, 'status' | 'progress'>): string {
  const { bytes, records_per_second, seconds_left } = progress
  const far = describeCount(progress)
  const left = seconds_left === null ? '' : `, ${seconds_left} s left`
  return `${status}: ${far}, ${bytes} bytes, ${records_per_second} a second${left}`
}

/** The runs of a connection, or of all that are under way, a line each. */
export function presentCollectionRuns(answer: CollectionRuns, page: Page): string {
  const { data } = answer
  if (data.length === 0) return 'No runs.'
  const rows = data.map((run) => [
    run.run_id,
    run.status,
    run.cause,
    run.progress.records,
    run.progress.changed,
    run.queued_at,
    run.fault?.code ?? run.cancel_reason,
  ])
  const table = renderTable(['run', 'status', 'cause', 'records', 'changed', 'queued', 'why'], rows, page)
  if ('truncated' in answer) return withLeftOut(table, answer.truncated, page)
  return withNextPage(table, '--cursor', answer.next_cursor, page)
}

/** One run. */
export function presentCollectionRun(run: z.output<typeof RunShape>): string {
  const lines = [`${run.run_id} of ${run.connection_id}, attempt ${run.attempt}`, describeProgress(run)]
  if (run.fault) lines.push(`${run.fault.code}: ${run.fault.message}`)
  if (run.fault && run.status === 'queued')
    lines.push(`next try ${run.run_at}, ${run.attempt} of ${run.max_attempts} made`)
  if (run.cancel_reason) lines.push(`cancelled: ${run.cancel_reason}`)
  return lines.map(printableLine).join('\n')
}

/** What following a run has told in the end. */
export function presentWatchedRun({ run }: z.output<typeof OwnerRunWatchOutput>): string {
  return presentCollectionRun(run)
}

/** A run that was just queued, and how to follow it. */
export function presentStartedRun(
  { run_id, connection_id }: z.output<typeof ConnectionRunOutput>,
  page: Page,
): string {
  const follow = `knowtation owner run watch ${connection_id} ${run_id}`
  return `${cellOf(run_id)} is queued.\n${page.dim(printableLine(follow))}`
}
