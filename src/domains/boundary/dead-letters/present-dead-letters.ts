import type { z } from 'zod'
import { withNextPage } from '../../../operations/present/list-end.ts'
import type { Page } from '../../../operations/present/page.ts'
import { renderTable } from '../../../operations/present/table.ts'
import type { DeadLetterListOutput } from './dead-letter-list.ts'

/** Answers that the ledger did not take, a line each. */
export function presentDeadLetters(
  { dead_letters, next_cursor }: z.output<typeof DeadLetterListOutput>,
  page: Page,
): string {
  if (dead_letters.length === 0) return 'No dead letters.'
  const rows = dead_letters.map((one) => [
    one.dead_letter_id,
    one.run_id,
    one.attempt,
    one.reason,
    one.created_at,
    one.replayed_at,
  ])
  const table = renderTable(['dead letter', 'run', 'attempt', 'reason', 'created', 'replayed'], rows, page)
  return withNextPage(table, '--cursor', next_cursor, page)
}
