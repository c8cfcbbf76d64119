import type { Page } from './page.ts'
import { renderTable } from './table.ts'

interface FlowList {
  flows: { flow_id: string; version: string; scope: string; step_count: number; title: string }[]
  truncated: boolean
}

/** The flows, a line each. */
export function presentFlowList(body: unknown, page: Page): string {
  const { flows, truncated } = body as FlowList
  if (flows.length === 0) return 'No flows.'
  const rows = flows.map((flow) => [flow.flow_id, flow.version, flow.scope, flow.step_count, flow.title])
  const table = renderTable(['flow', 'version', 'scope', 'steps', 'title'], rows, page)
  return truncated ? `${table}\n${page.dim('There are more: narrow the list with --scope or --tag.')}` : table
}
