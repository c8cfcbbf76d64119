import type { z } from 'zod'
import { withNextPage } from '../../operations/present/list-end.ts'
import type { Page } from '../../operations/present/page.ts'
import { cellOf, renderTable } from '../../operations/present/table.ts'
import { wrapped } from '../../operations/present/text-width.ts'
import { printable } from '../../platform/basics/printable.ts'
import type { AuditListOutput } from './audit-list.ts'
import type { DoctorOutput } from './doctor.ts'
import type { WhoamiOutput } from './whoami.ts'

/** Who is calling, in a sentence. */
export function presentWhoami(
  { caller_kind, caller_id, role, vault_id, scopes }: z.output<typeof WhoamiOutput>,
  page: Page,
): string {
  const who = caller_id === caller_kind ? caller_kind : `${caller_kind} ${caller_id}`
  const place = `with the role ${page.bold(cellOf(role))} in the vault ${page.bold(cellOf(vault_id))}`
  return `You call as ${page.bold(cellOf(who))} ${place}. Visible scopes: ${cellOf(scopes)}.`
}

type Findings = Pick<z.output<typeof DoctorOutput>, 'version' | 'healthy' | 'findings'>
type Doctored = Findings & (Pick<z.output<typeof DoctorOutput>, 'database'> | { readonly place: string })

/** What is on, off and wrong, and how to mend it. */
export function presentDoctor({ version, healthy, findings, ...told }: Doctored, page: Page): string {
  const verdict = healthy ? page.green('Everything is in order.') : page.red('Something is wrong.')
  return [
    `Knowtation ${cellOf(version)} ${'place' in told ? 'at' : 'on'} ${cellOf('place' in told ? told.place : told.database)}. ${verdict}`,
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

/** The latest calls, a line each. */
export function presentAuditList(
  { records, next_before_seq, labels }: z.output<typeof AuditListOutput>,
  page: Page,
): string {
  // A call looks at so many records only, and there may be no wanted one among them.
  if (records.length === 0) return withNextPage('No records.', '--before-seq', next_before_seq, page)
  const isWith = records.some(({ grant_id, seat_id }) => Boolean(grant_id ?? seat_id))
  const rows = records.map((record) => [
    record.seq,
    record.at,
    record.operation,
    record.target_id,
    record.code ?? record.outcome,
    `${cellOf(record.caller_kind)} ${named(record.caller_id, labels)}`,
    ...(isWith ? [named(record.grant_id ?? record.seat_id ?? '', labels)] : []),
    `${cellOf(record.surface)}/${cellOf(record.client)}`,
    record.repeats === 1 ? '' : `×${cellOf(record.repeats)}`,
  ])
  const headings = [
    'seq',
    'at',
    'operation',
    'target',
    'outcome',
    'caller',
    ...(isWith ? ['with'] : []),
    'via',
    '',
  ]
  // What was done, by whom and how it ended is what a record is looked for by.
  const whole = ['operation', 'outcome', 'caller']
  const table = renderTable(headings, rows, page, {
    whole,
    below: ['target', 'caller', ...(isWith ? ['with'] : []), 'via'],
  })
  return withNextPage(table, '--before-seq', next_before_seq, page)
}

/** What the owner calls it before its id, which the next command takes. */
function named(id: string, labels: Record<string, string> | undefined): string {
  const label = labels?.[id]
  return label === undefined ? cellOf(id) : `${cellOf(label)} (${cellOf(id)})`
}
