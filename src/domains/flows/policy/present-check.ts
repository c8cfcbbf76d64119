import type { z } from 'zod'
import type { Page } from '../../../operations/present/page.ts'
import { renderTable } from '../../../operations/present/table.ts'
import { counted, printableLine } from '../../../platform/basics/printable.ts'
import type { CheckOutput } from './check/policy-check.ts'
import { presentFaults } from './present-policy.ts'

type Checked = z.output<typeof CheckOutput>

/** What a check has found: what breaks the policy, then what is odd, then what would be decided differently. */
export function presentCheck({ path, revision, errors, oddities, comparison }: Checked, page: Page): string {
  const parts = [printableLine(`${path}, revision ${revision}`)]
  if (errors.length > 0) parts.push(presentFaults(path, errors, page))
  parts.push(
    ...oddities.map(({ line, kind, message }) => printableLine(`${path}:${line}: ${kind}: ${message}`)),
  )
  if (errors.length + oddities.length === 0) parts.push(page.green('Nothing odd was found.'))
  if (comparison) parts.push('', presentComparison(comparison, page))
  return parts.join('\n')
}

function presentComparison(comparison: NonNullable<Checked['comparison']>, page: Page): string {
  const { grants, calls, grants_looked_at, calls_looked_at, note } = comparison
  const lines = [
    `Looked at ${counted(grants_looked_at, 'live grant')} and ${counted(calls_looked_at, 'call')} on record.`,
  ]
  if (grants.length > 0)
    lines.push(
      renderTable(
        ['grant', 'tool', 'now', 'then'],
        grants.map((one) => [one.grant_id, one.tool_id, decided(one.now_code), decided(one.then_code)]),
        page,
      ),
    )
  if (calls.length > 0)
    lines.push(
      renderTable(
        ['record', 'at', 'tool', 'ended', 'would end'],
        calls.map((one) => [one.seq, one.at, one.tool_id, decided(one.now_code), decided(one.then_code)]),
        page,
      ),
    )
  if (grants.length + calls.length === 0) lines.push('Each would be decided as it is.')
  if (!comparison.whole) lines.push('There are more, which were not looked at.')
  return [...lines, page.dim(note)].join('\n')
}

function decided(code: string | null): string {
  return code ?? 'let through'
}
