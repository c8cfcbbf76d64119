import type { z } from 'zod'
import type { Page } from '../../operations/present/page.ts'
import { renderTable } from '../../operations/present/table.ts'
import type { FlowListOutput } from './flow-list.ts'

/** The flows, a line each. */
export function presentFlowList({ flows, truncated }: z.output<typeof FlowListOutput>, page: Page): string {
  if (flows.length === 0) return 'No flows.'
  const rows = flows.map((flow) => [flow.flow_id, flow.version, flow.scope, flow.step_count, flow.title])
  const table = renderTable(['flow', 'version', 'scope', 'steps', 'title'], rows, page)
  return truncated ? `${table}\n${page.dim('There are more: narrow the list with --scope or --tag.')}` : table
}
