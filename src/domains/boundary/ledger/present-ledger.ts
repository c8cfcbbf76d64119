import type { z } from 'zod'
import { withNextPage } from '../../../operations/present/list-end.ts'
import type { Page } from '../../../operations/present/page.ts'
import { renderPairs } from '../../../operations/present/present-any.ts'
import { cellOf, renderTable } from '../../../operations/present/table.ts'
import { counted, printable } from '../../../platform/basics/printable.ts'
import type { LedgerAppendOutput } from './ledger-append.ts'
import type { LedgerGrowthOutput } from './ledger-growth.ts'
import type { LedgerLineageOutput } from './ledger-lineage.ts'
import type { LedgerListOutput } from './ledger-list.ts'
import type { LedgerShowOutput } from './ledger-show.ts'
import type { LedgerVerifyOutput } from './ledger-verify.ts'

/** The entries, a line each. */
export function presentLedgerList(
  { entries, next_cursor }: z.output<typeof LedgerListOutput>,
  page: Page,
): string {
  if (entries.length === 0) return 'No entries.'
  const rows = entries.map((entry) => [
    entry.id,
    entry.tenantId,
    entry.type,
    entry.state,
    entry.source,
    entry.lineage.dependsOnLedgerIds.length,
    entry.createdAt,
  ])
  const table = renderTable(['entry', 'tenant', 'type', 'state', 'source', 'from', 'created'], rows, page)
  return withNextPage(table, '--cursor', next_cursor, page)
}

/** One entry with what is in it. */
export function presentLedgerEntry(
  { entry }: z.output<typeof LedgerShowOutput> | z.output<typeof LedgerAppendOutput>,
  page: Page,
): string {
  const { payload, lineage, ...rest } = entry
  const pairs: [string, unknown][] = [
    ...Object.entries(rest),
    ['made from', lineage.dependsOnLedgerIds],
    ['execution', lineage.executionId ?? null],
  ]
  return `${renderPairs(pairs, page)}\n\n${page.bold('payload')}\n${printable(JSON.stringify(payload, null, 2))}`
}

/** A walk through the lineage: the further an entry is, the further in it stands. */
export function presentLineage(
  { direction, nodes, truncated }: z.output<typeof LedgerLineageOutput>,
  page: Page,
): string {
  const lines = nodes.map(
    ({ id, type, state, createdAt, depth }) =>
      `${'  '.repeat(depth)}${page.bold(cellOf(id))}  ${cellOf(type)}, ${cellOf(state)}, ${cellOf(createdAt)}`,
  )
  const about = direction === 'up' ? 'Made from:' : 'What came of it:'
  return [
    lines[0],
    lines.length > 1 ? about : 'Nothing further.',
    ...lines.slice(1),
    ...(truncated ? ['… and more'] : []),
  ].join('\n')
}

/** What was found in the chains of a vault. */
export function presentLedgerVerification(
  { intact, sealed_since, fault, tenants }: z.output<typeof LedgerVerifyOutput>,
  page: Page,
): string {
  const entries = tenants.reduce((sum, tenant) => sum + tenant.entries, 0)
  const amount = `${counted(entries, 'entry', 'entries')} of ${counted(tenants.length, 'tenant')}`
  const said = intact
    ? page.green(`The ledger is intact: ${amount}.`)
    : page.red(`The ledger is not intact: ${cellOf(fault)}`)
  const broken = tenants
    .filter((tenant) => !tenant.intact)
    .map(({ tenant_id, fault: why }) => [tenant_id, why])
  // Of a home that was made before there was a journal it has to be said, or `intact` would promise too much.
  const since = sealed_since === null ? '\nWhich tenants there are is not sealed yet.' : ''
  if (broken.length === 0) return tenants.length > 0 ? `${said}${since}` : said
  return `${said}${since}\n\n${renderTable(['tenant', 'fault'], broken, page)}`
}

/** What came on each day that brought anything. */
export function presentGrowth(
  { days, entries, complete }: z.output<typeof LedgerGrowthOutput>,
  page: Page,
): string {
  const rows = days.filter((one) => one.entries > 0).map((one) => [one.day, one.entries])
  const said = `${counted(entries, 'entry', 'entries')} in ${counted(days.length, 'day')}${complete ? '' : ', or more'}.`
  return rows.length === 0 ? said : `${renderTable(['day', 'entries'], rows, page)}\n${said}`
}
