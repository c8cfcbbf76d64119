import { counted } from '../../../platform/basics/counted.ts'
import { withLeftOut, withNextPage } from './list-end.ts'
import type { Page } from './page.ts'
import { printableLine } from './printable.ts'
import { cellOf, renderTable } from './table.ts'

/** A run of a connection, as far as it is shown. */
export interface WatchedRun {
  run_id: string
  connection_id: string
  status: string
  cause: string
  attempt: number
  max_attempts: number
  queued_at: string
  run_at: string
  ended_at: string | null
  cancel_reason: string | null
  fault: { code: string; message: string } | null
  progress: {
    records: number
    changed: number
    removed: number
    bytes: number
    total: number | null
    records_per_second: number
    seconds_left: number | null
  }
}

/** How many records a run has read, and of how many where its source tells. */
export function describeCount({ records, total }: Pick<WatchedRun['progress'], 'records' | 'total'>): string {
  return total === null ? counted(records, 'record') : `${records} of ${counted(total, 'record')}`
}

/** How far a run is, in a line. */
export function describeProgress({ status, progress }: WatchedRun): string {
  const { bytes, records_per_second, seconds_left } = progress
  const far = describeCount(progress)
  const left = seconds_left === null ? '' : `, ${seconds_left} s left`
  return `${status}: ${far}, ${bytes} bytes, ${records_per_second} a second${left}`
}

/** The runs of one connection have pages; those of all that are under way are cut. */
interface CollectionRuns {
  data: WatchedRun[]
  next_cursor?: string | null
  truncated?: boolean
}

/** The runs of a connection, or of all that are under way, a line each. */
export function presentCollectionRuns(body: unknown, page: Page): string {
  const { data, next_cursor = null, truncated = false } = body as CollectionRuns
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
  return withLeftOut(withNextPage(table, '--cursor', next_cursor, page), truncated, page)
}

/** One run. */
export function presentCollectionRun(body: unknown): string {
  const run = body as WatchedRun
  const lines = [`${run.run_id} of ${run.connection_id}, attempt ${run.attempt}`, describeProgress(run)]
  if (run.fault) lines.push(`${run.fault.code}: ${run.fault.message}`)
  if (run.fault && run.status === 'queued')
    lines.push(`next try ${run.run_at}, ${run.attempt} of ${run.max_attempts} made`)
  if (run.cancel_reason) lines.push(`cancelled: ${run.cancel_reason}`)
  return lines.map(printableLine).join('\n')
}

/** What following a run has told in the end. */
export function presentWatchedRun(body: unknown): string {
  return presentCollectionRun((body as { run: unknown }).run)
}

/** A run that was just queued, and how to follow it. */
export function presentStartedRun(body: unknown, page: Page): string {
  const { run_id, connection_id } = body as { run_id: string; connection_id: string }
  const follow = `knowtation owner run watch ${connection_id} ${run_id}`
  return `${cellOf(run_id)} is queued.\n${page.dim(printableLine(follow))}`
}

interface Stream {
  stream: string
  record_count: number
  cursor: string
  updated_at: string
}

/** The streams of a connection, a line each. */
export function presentStreams(body: unknown, page: Page): string {
  const { data } = body as { data: Stream[] }
  if (data.length === 0) return 'Nothing was collected yet.'
  const rows = data.map((one) => [one.stream, one.record_count, one.cursor, one.updated_at])
  return renderTable(['stream', 'records', 'cursor', 'changed'], rows, page)
}

interface Listed {
  object: string
  key: string
  cursor: string
  updated_at?: string
  removed_at?: string
  data?: object
}

/** Records, a line each. */
export function presentRecords(body: unknown, page: Page): string {
  const { data, next_cursor } = body as { data: Listed[]; next_cursor: string | null }
  if (data.length === 0) return 'No records.'
  const rows = data.map((one) => [one.cursor, one.key, one.updated_at ?? one.removed_at, one.data ?? 'gone'])
  const table = renderTable(['cursor', 'key', 'changed', 'data'], rows, page)
  return withNextPage(table, '--cursor', next_cursor, page)
}
