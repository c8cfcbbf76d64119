import { withNextPage } from './list-end.ts'
import type { Page } from './page.ts'
import { printableLine } from './printable.ts'
import { renderTable } from './table.ts'

interface Run {
  run_id: string
  flow_id: string
  flow_version: string
  status: string
  started: string
  step_states: { step_id: string; status: string; evidence_ref: string | null; verified: boolean }[]
}

/** The runs, a line each. */
export function presentRunList(body: unknown, page: Page): string {
  const { runs, next_cursor } = body as { runs: Run[]; next_cursor: string | null }
  if (runs.length === 0) return 'No runs.'
  const rows = runs.map((run) => {
    const finished = run.step_states.filter(({ status }) => status === 'done' || status === 'skipped').length
    return [run.run_id, run.flow_version, run.status, `${finished} of ${run.step_states.length}`, run.started]
  })
  const table = renderTable(['run', 'version', 'status', 'steps', 'started'], rows, page)
  return withNextPage(table, '--cursor', next_cursor, page)
}

/** One run with its steps. */
export function presentRun(body: unknown, page: Page): string {
  const { run } = body as { run: Run }
  const rows = run.step_states.map((step) => [step.step_id, step.status, step.verified, step.evidence_ref])
  const about = `${run.run_id}: ${run.flow_id} ${run.flow_version}, ${run.status} since ${run.started}`
  return `${printableLine(about)}\n\n${renderTable(['step', 'status', 'verified', 'evidence'], rows, page)}`
}
