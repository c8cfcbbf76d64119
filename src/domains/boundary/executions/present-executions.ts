import type { z } from 'zod'
import { withNextPage } from '../../../operations/present/list-end.ts'
import type { Page } from '../../../operations/present/page.ts'
import { renderPairs } from '../../../operations/present/present-any.ts'
import { renderTable } from '../../../operations/present/table.ts'
import type { BoundaryListOutput } from './boundary-list.ts'
import type { ExecutionAnswer } from './execution-answer.ts'
import type { ExecutionOutcome } from './execution-record.ts'

/** One execution: what it is, how it stands, and what came of it. */
export function presentExecution(
  { execution, idempotent }: z.output<typeof ExecutionAnswer>,
  page: Page,
): string {
  const { progress, outcome } = execution
  const pairs: [string, unknown][] = [
    ['run', execution.run_id],
    ['execution', `${execution.execution_id} of ${execution.robot_id}, tenant ${execution.tenant_id}`],
    ['attempt', execution.attempt],
    ['engine', execution.engine],
    ['objective', `${execution.objective.action} ${execution.objective.type}`],
    ['mode', `${execution.run_mode}, snapshot ${execution.coherence_status}`],
    ['state', `${execution.state}${idempotent ? ' (nothing was changed by asking)' : ''}`],
  ]
  if (progress) pairs.push(['progress', `${Math.round(progress.share * 100)} % ${progress.note ?? ''}`])
  if (outcome) pairs.push(...outcomePairs(outcome))
  const violations = outcome?.violations ?? []
  if (violations.length === 0) return renderPairs(pairs, page)
  const rows = violations.map(({ path, message }) => [path || 'the document', message])
  return `${renderPairs(pairs, page)}\n\n${renderTable(['path', 'violation'], rows, page)}`
}

function outcomePairs(outcome: ExecutionOutcome): [string, unknown][] {
  const { error, cancel_reason, reported, dead_letter_id } = outcome
  const pairs: [string, unknown][] = [['outcome', outcome.status]]
  if (error)
    pairs.push([
      'error',
      `${error.code}: ${error.message}${error.retryable ? ' It may be tried again.' : ''}`,
    ])
  if (reported?.message) pairs.push(['engine says', reported.message])
  if (cancel_reason !== null) pairs.push(['cancelled', cancel_reason])
  if (outcome.artifact_ledger_ids.length > 0) pairs.push(['artifacts', outcome.artifact_ledger_ids])
  if (outcome.event_ledger_id !== null) pairs.push(['event', outcome.event_ledger_id])
  if (dead_letter_id !== null) pairs.push(['dead letter', dead_letter_id])
  if (outcome.duration_ms !== null) pairs.push(['took', `${outcome.duration_ms} ms`])
  return pairs
}

/** The executions, a line each. */
export function presentExecutionList(
  { executions, next_cursor }: z.output<typeof BoundaryListOutput>,
  page: Page,
): string {
  if (executions.length === 0) return 'No executions.'
  const rows = executions.map((one) => [
    one.run_id,
    one.tenant_id,
    one.execution_id,
    one.attempt,
    one.objective_type,
    one.engine,
    one.error_code ?? one.state,
    one.submitted_at,
  ])
  const headings = ['run', 'tenant', 'execution', 'attempt', 'objective', 'engine', 'state', 'submitted']
  return withNextPage(renderTable(headings, rows, page), '--cursor', next_cursor, page)
}
