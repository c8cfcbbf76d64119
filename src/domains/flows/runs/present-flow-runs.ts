import type { z } from 'zod'
import { withNextPage } from '../../../operations/present/list-end.ts'
import type { Page } from '../../../operations/present/page.ts'
import { renderTable } from '../../../operations/present/table.ts'
import { printableLine } from '../../../platform/basics/printable.ts'
import type { FlowRunListOutput } from './flow-run-list.ts'
import type { FlowRunStartOutput } from './flow-run-start.ts'
import type { RunAnswer } from './run-operation-parts.ts'

/** The runs, a line each. */
export function presentRunList(
  { runs, next_cursor }: z.output<typeof FlowRunListOutput>,
  page: Page,
): string {
  if (runs.length === 0) return 'No runs.'
  const rows = runs.map((run) => {
    const finished = run.step_states.filter(({ status }) => status === 'done' || status === 'skipped').length
    return [run.run_id, run.flow_version, run.status, `${finished} of ${run.step_states.length}`, run.started]
  })
  const table = renderTable(['run', 'version', 'status', 'steps', 'started'], rows, page)
  return withNextPage(table, '--cursor', next_cursor, page)
}

/** One run with its steps. */
export function presentRun(
  { run }: z.output<typeof RunAnswer> | z.output<typeof FlowRunStartOutput>,
  page: Page,
): string {
  const rows = run.step_states.map((step) => [step.step_id, step.status, step.verified, step.evidence_ref])
  const about = `${run.run_id}: ${run.flow_id} ${run.flow_version}, ${run.status} since ${run.started}`
  return `${printableLine(about)}\n\n${renderTable(['step', 'status', 'verified', 'evidence'], rows, page)}`
}
