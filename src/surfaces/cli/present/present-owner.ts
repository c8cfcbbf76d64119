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
  return truncated ? `${table}\n${page.dim('There are more, older ones.')}` : table
}
