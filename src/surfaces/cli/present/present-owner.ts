import { withLeftOut } from './list-end.ts'
import type { Page } from './page.ts'
import { cellOf, renderTable } from './table.ts'

interface Link {
  url: string
  purpose: 'set_up' | 'sign_in'
  expires_at: string
}

/** A one-time link, to be opened in a browser on this machine. */
export function presentOwnerLink(body: unknown, page: Page): string {
  const { url, purpose, expires_at } = body as Link
  const what = purpose === 'set_up' ? 'Open this to set up your hub:' : 'Open this to sign in as the owner:'
  const until = `It works once, until ${cellOf(expires_at)}, in a browser on the machine of the hub.`
  return [what, '', `  ${page.bold(cellOf(url))}`, '', page.dim(until)].join('\n')
}

interface Session {
  session_id: string
  method: string
  client: string
  created_at: string
  last_seen_at: string
  expires_at: string
}

/** The owner's sessions, a line each. */
export function presentOwnerSessions(body: unknown, page: Page): string {
  const { data } = body as { data: Session[] }
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

interface Agent {
  agent_id: string
  client_name: string
  client_id: string
  state: string
  created_at: string
  expires_at: string
}

/** The owner's agents, a line each. */
export function presentOwnerAgents(body: unknown, page: Page): string {
  const { data, truncated } = body as { data: Agent[]; truncated: boolean }
  if (data.length === 0) return 'No agents. One asks to be let in with `knowtation owner agent login`.'
  const rows = data.map((agent) => [
    agent.agent_id,
    agent.client_name,
    agent.client_id,
    agent.state,
    agent.created_at,
    agent.expires_at,
  ])
  const table = renderTable(['agent', 'name', 'client', 'state', 'approved', 'expires'], rows, page)
  return withLeftOut(table, truncated, page)
}
