import type { z } from 'zod'
import { withNextPage } from '../../../operations/present/list-end.ts'
import type { Page } from '../../../operations/present/page.ts'
import { renderTable } from '../../../operations/present/table.ts'
import type { OwnerRecordListOutput, OwnerStreamListOutput } from './record-operations.ts'
import type { OwnerRecordSearchOutput } from './record-search.ts'

/** The streams of a connection, a line each. */
export function presentStreams({ data }: z.output<typeof OwnerStreamListOutput>, page: Page): string {
  if (data.length === 0) return 'Nothing was collected yet.'
  const rows = data.map((one) => [one.stream, one.record_count, one.cursor, one.updated_at])
  return renderTable(['stream', 'records', 'cursor', 'changed'], rows, page)
}

/** Records, a line each. */
export function presentRecords(
  { data, next_cursor }: z.output<typeof OwnerRecordListOutput>,
  page: Page,
): string {
  if (data.length === 0) return 'No records.'
  const rows = data.map((one) => {
    const [at, what] = 'data' in one ? [one.updated_at, one.data] : [one.removed_at, 'gone']
    return [one.cursor, one.key, at, what]
  })
  const table = renderTable(['cursor', 'key', 'changed', 'data'], rows, page)
  return withNextPage(table, '--cursor', next_cursor, page)
}

/** What a search found, a line each. */
export function presentHits(
  { data, is_complete }: z.output<typeof OwnerRecordSearchOutput>,
  page: Page,
): string {
  const rest = is_complete ? '' : 'Not all was looked through yet; ask again in a while.'
  if (data.length === 0) return rest || 'Nothing found.'
  const rows = data.map((one) => [one.stream, one.key ?? '(hidden)', one.title, one.excerpt])
  const table = renderTable(['stream', 'key', 'title', 'found'], rows, page)
  return rest ? `${table}\n${rest}` : table
}
