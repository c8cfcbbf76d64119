import type { z } from 'zod'
import { nameCell, nameHeading } from '../../../operations/present/label-cells.ts'
import { withLeftOut } from '../../../operations/present/list-end.ts'
import type { Page } from '../../../operations/present/page.ts'
import { cellOf, renderTable } from '../../../operations/present/table.ts'
import type { OwnerAgentListOutput } from './agents.ts'
import type { OwnerLinkCreateOutput } from './link-create.ts'
import type { OwnerPasskeyListOutput } from './passkeys.ts'
import type { OwnerRequestListOutput } from './request-list.ts'
import type { OwnerSessionListOutput } from './sign-out.ts'

/** A one-time link, to be opened in a browser on this machine. */
export function presentOwnerLink(
  { url, purpose, expires_at }: z.output<typeof OwnerLinkCreateOutput>,
  page: Page,
): string {
  const what = purpose === 'set_up' ? 'Open this to set up your hub:' : 'Open this to sign in as the owner:'
  const until = `It works once, until ${cellOf(expires_at)}, in a browser on the machine of the hub.`
  return [what, '', `  ${page.bold(cellOf(url))}`, '', page.dim(until)].join('\n')
}

/** The owner's sessions, a line each. */
export function presentOwnerSessions({ data }: z.output<typeof OwnerSessionListOutput>, page: Page): string {
  if (data.length === 0) return 'Nobody is signed in. `knowtation owner login` makes a link to sign in with.'
  const rows = data.map((one) => [
    one.session_id,
    one.method,
    one.client,
    one.created_at,
    one.last_seen_at,
    one.expires_at,
  ])
  return renderTable(['session', 'by', 'client', 'since', 'last seen', 'expires'], rows, page)
}

/** The programs that wait to be let in, a line each. */
export function presentOwnerRequests(
  { data, truncated }: z.output<typeof OwnerRequestListOutput>,
  page: Page,
): string {
  if (data.length === 0) return 'Nobody waits to be let in.'
  const rows = data.map((one) => [one.client_name, one.asks_for, one.way, one.created_at, one.expires_at])
  const table = renderTable(['program', 'asks for', 'by', 'since', 'until'], rows, page)
  return withLeftOut(table, truncated, page)
}

/** The owner's agents, a line each. */
export function presentOwnerAgents(
  { data, truncated, labels }: z.output<typeof OwnerAgentListOutput>,
  page: Page,
): string {
  if (data.length === 0) return 'No agents. One asks to be let in with `knowtation owner agent login`.'
  const rows = data.map((agent) => [
    agent.agent_id,
    ...nameCell(labels, agent.agent_id),
    agent.client_name,
    agent.client_id,
    agent.state,
    agent.created_at,
    agent.expires_at,
  ])
  const table = renderTable(
    ['agent', ...nameHeading(labels), 'calls itself', 'client', 'state', 'approved', 'expires'],
    rows,
    page,
  )
  return withLeftOut(table, truncated, page)
}

/** The owner's passkeys, a line each. */
export function presentOwnerPasskeys({ data }: z.output<typeof OwnerPasskeyListOutput>, page: Page): string {
  if (data.length === 0) return 'No passkeys. One is added on the page Account, once the owner is signed in.'
  const rows = data.map((one) => [
    one.passkey_id,
    one.label,
    one.origin ?? '-',
    one.created_at,
    one.last_used_at ?? 'never',
  ])
  return renderTable(['passkey', 'name', 'made at', 'since', 'last used'], rows, page)
}
