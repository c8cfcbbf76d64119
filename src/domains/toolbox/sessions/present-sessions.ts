import type { z } from 'zod'
import { nameCell, nameHeading } from '../../../operations/present/label-cells.ts'
import { withLeftOut } from '../../../operations/present/list-end.ts'
import type { Page } from '../../../operations/present/page.ts'
import { renderBearer } from '../../../operations/present/secret-once.ts'
import { cellOf, renderTable } from '../../../operations/present/table.ts'
import type { ToolSessionCreateOutput } from './tool-session-create.ts'
import type { ToolSessionListOutput } from './tool-session-list.ts'
import type { ToolSessionRevokeOutput } from './tool-session-revoke.ts'

/** A new session: its secret, which nobody can show again, and how an agent uses it. */
export function presentNewSession(
  { session, bearer }: z.output<typeof ToolSessionCreateOutput>,
  page: Page,
): string {
  const { session_id, agent_id, role, service_root, expires_at } = session
  return [
    `Session ${cellOf(session_id)}: agent ${cellOf(agent_id)}, role ${cellOf(role)}, until ${cellOf(expires_at)}.`,
    `Works in ${cellOf(service_root)}.`,
    ...renderBearer(bearer, page),
    '',
    `An MCP client sends it to ${page.address}/mcp in the header Authorization: Bearer <it>.`,
    'Stop the agent, or end the session:',
    `  knowtation lock agent ${cellOf(agent_id)}`,
    `  knowtation tool session revoke ${cellOf(session_id)}`,
  ].join('\n')
}

/** The sessions, a line each, with what has become of them. */
export function presentSessionList(
  {
    sessions,
    truncated,
    labels,
  }: Pick<z.output<typeof ToolSessionListOutput>, 'sessions' | 'truncated' | 'labels'>,
  page: Page,
): string {
  if (sessions.length === 0)
    return 'No sessions. `knowtation tool session create --service DIR --role dev` makes one.'
  const rows = sessions.map((session) => [
    session.session_id,
    ...nameCell(labels, session.session_id),
    session.agent_id,
    session.role,
    session.service_root,
    session.revoked_at ? `revoked ${session.revoked_at}` : `until ${session.expires_at}`,
  ])
  const table = renderTable(
    ['session', ...nameHeading(labels), 'agent', 'role', 'service', 'state'],
    rows,
    page,
  )
  return withLeftOut(table, truncated, page)
}

/** One session in a line. */
export function presentSession({ session }: z.output<typeof ToolSessionRevokeOutput>, page: Page): string {
  return presentSessionList({ sessions: [session], truncated: false }, page)
}
