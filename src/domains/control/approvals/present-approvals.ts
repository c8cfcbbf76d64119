import type { z } from 'zod'
import { nameCell, nameHeading } from '../../../operations/present/label-cells.ts'
import { withLeftOut } from '../../../operations/present/list-end.ts'
import type { Page } from '../../../operations/present/page.ts'
import { renderTable } from '../../../operations/present/table.ts'
import { counted, printable, printableLine } from '../../../platform/basics/printable.ts'
import type { ApprovalListOutput } from './approval-operations.ts'
import type { ApprovalInFull, ApprovalShape } from './approval-shapes.ts'

type Shown = z.output<typeof ApprovalShape>

/** The requests, a line each. */
export function presentApprovals(
  { data, truncated, labels }: z.output<typeof ApprovalListOutput>,
  page: Page,
): string {
  if (data.length === 0) return 'No call waits, or has waited, for your word.'
  const rows = data.map(({ approval_id, state, tool_id, client, grant_id, created_at, expires_at }) => [
    approval_id,
    state,
    tool_id,
    client,
    grant_id,
    ...nameCell(labels, grant_id),
    created_at,
    state === 'waiting' ? expires_at : '',
  ])
  const heads = ['approval', 'state', 'tool', 'client', 'grant', ...nameHeading(labels), 'asked', 'until']
  return withLeftOut(renderTable(heads, rows, page), truncated, page)
}

/** One request: who wants what, and everything that the tool would be given. */
export function presentApproval(one: z.output<typeof ApprovalInFull>, page: Page): string {
  const { arguments: given, arguments_bytes } = one
  const shown =
    given === null
      ? page.dim(`The arguments (${counted(arguments_bytes, 'byte')}) were erased when it ended.`)
      : `The tool would be given, in the words of whoever calls:\n${printable(JSON.stringify(given, null, 2))}`
  return `${linesOf(one).join('\n')}\n\n${shown}`
}

/** What was decided. */
export function presentDecision(one: Shown, page: Page): string {
  const { state, decided_for } = one
  const said =
    state === 'denied' ? page.red('Refused. Nothing is sent.') : page.green(SAID[decided_for ?? 'call'])
  return `${said}\n${linesOf(one).join('\n')}`
}

const SAID = {
  call: 'Approved: this one call is carried out, once.',
  grant: 'Approved, and for an hour every call of this tool under this grant.',
} as const

function linesOf(one: Shown): string[] {
  const { approval_id, state, tool_id, flow_id, flow_version, grant_id, client, caller_kind, caller_id } = one
  const lines = [
    `${approval_id}: ${state}${state === 'waiting' ? ` until ${one.expires_at}` : ''}`,
    `tool    ${tool_id}`,
    `flow    ${flow_id} ${flow_version}`,
    `grant   ${grant_id}`,
    `caller  ${client}, ${caller_kind} ${caller_id}`,
    `digest  ${one.digest}`,
  ]
  if (one.decided_by !== null) lines.push(`decided ${one.decided_at} by ${one.decided_by}`)
  if (one.reason !== null) lines.push(`reason  ${one.reason}`)
  return lines.map(printableLine)
}
