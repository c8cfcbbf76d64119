import { withNextPage } from './list-end.ts'
import type { Page } from './page.ts'
import { printable } from './printable.ts'
import { cellOf, renderTable } from './table.ts'
import { wrapped } from './text-width.ts'

interface Whoami {
  caller_kind: string
  caller_id: string
  role: string
  vault_id: string
  scopes: string[]
}

/** Who is calling, in a sentence. */
export function presentWhoami(body: unknown, page: Page): string {
  const { caller_kind, caller_id, role, vault_id, scopes } = body as Whoami
  const who = caller_id === caller_kind ? caller_kind : `${caller_kind} ${caller_id}`
  const place = `with the role ${page.bold(cellOf(role))} in the vault ${page.bold(cellOf(vault_id))}`
  return `You call as ${page.bold(cellOf(who))} ${place}. Visible scopes: ${cellOf(scopes)}.`
}

interface Doctor {
  version: string
  database: string
  healthy: boolean
  findings: Record<string, unknown>[]
}

/** What is on, off and wrong, and how to mend it. */
export function presentDoctor(body: unknown, page: Page): string {
  const { version, database, healthy, findings } = body as Doctor
  const verdict = healthy ? page.green('Everything is in order.') : page.red('Something is wrong.')
  return [
    `Knowtation ${cellOf(version)} on ${cellOf(database)}. ${verdict}`,
    '',
    ...findings.map((finding) => renderFinding(finding, page)),
  ].join('\n')
}

function renderFinding(finding: Record<string, unknown>, page: Page): string {
  const { state, subject, detail, fix } = finding
  const paint = state === 'wrong' ? page.red : state === 'off' ? page.dim : page.green
  const lines = [`${paint(cellOf(state).padEnd(6))} ${page.bold(cellOf(subject))}  ${cellOf(detail)}`]
  if (typeof fix === 'string' && fix !== '') {
    const [first = '', ...more] = wrapped(printable(fix), page.columns - 9)
    lines.push(`       → ${first}`, ...more.map((line) => `         ${line}`))
  }
  return lines.join('\n')
}

interface AuditList {
  records: Record<string, unknown>[]
  next_before_seq: number | null
}

/** The latest calls, a line each. */
export function presentAuditList(body: unknown, page: Page): string {
  const { records, next_before_seq } = body as AuditList
  // A call looks at so many records only, and there may be no wanted one among them.
  if (records.length === 0) return withNextPage('No records.', '--before-seq', next_before_seq, page)
  const rows = records.map((record) => [
    record.seq,
    record.at,
    record.operation,
    record.target_id,
    record.code ?? record.outcome,
    `${cellOf(record.caller_kind)} ${cellOf(record.caller_id)}`,
    `${cellOf(record.surface)}/${cellOf(record.client)}`,
    record.repeats === 1 ? '' : `×${cellOf(record.repeats)}`,
  ])
  const headings = ['seq', 'at', 'operation', 'target', 'outcome', 'caller', 'via', '']
  // What was done, by whom and how it ended is what a record is looked for by.
  const whole = ['operation', 'outcome', 'caller']
  const table = renderTable(headings, rows, page, { whole, below: ['target', 'caller', 'via'] })
  return withNextPage(table, '--before-seq', next_before_seq, page)
}
