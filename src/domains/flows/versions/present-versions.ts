import type { z } from 'zod'
import type { Page } from '../../../operations/present/page.ts'
import { renderTable } from '../../../operations/present/table.ts'
import { renderDiff, renderPower } from '../authoring/present-proposals.ts'
import type { FlowCompareOutput } from './flow-compare.ts'
import type { FlowVersionListOutput } from './flow-version-list.ts'

/** The versions of a flow, a line each. */
export function presentVersions(
  { versions, truncated }: z.output<typeof FlowVersionListOutput>,
  page: Page,
): string {
  const rows = versions.map(({ version, scope, created_at, state_id }) => [
    version,
    scope,
    created_at,
    state_id,
  ])
  const table = renderTable(['version', 'scope', 'since', 'state'], rows, page)
  return truncated ? `${table}\n${page.dim('There are more: only the newest are shown.')}` : table
}

/** What changes about power, then the lines that change. */
export function presentComparison({ diff, power }: z.output<typeof FlowCompareOutput>, page: Page): string {
  if (diff.changes.length === 0) return 'They are the same.'
  const parts = [power.map((change) => renderPower(change, page)).join('\n'), renderDiff(diff.text, page)]
  return parts.filter((part) => part !== '').join('\n\n')
}
