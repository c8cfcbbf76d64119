import type { Credentials } from '../credentials.ts'
import { type ServerNews, serverId } from '../mcp/server-events.ts'
import type { UrlProvider } from '../provider-policy.ts'
import { follow } from './follow.ts'
import type { Agents } from './guarded-agent.ts'
import { lowerNames } from './http-call.ts'
import { type McpSession, mcpSession } from './mcp-session.ts'
import type { SendPost } from './mcp-wire.ts'

const MAX_SESSIONS = 64

type UrlServer = Omit<UrlProvider, 'tool'>

/** MCP servers reached by url: one conversation for each url and set of credentials. */
export interface McpServers {
  sessionFor(provider: UrlServer, credentials: Credentials): McpSession
  close(): Promise<void>
}

export function mcpServers(agents: Agents, tell: (kind: ServerNews, server: string) => void): McpServers {
  const sessions = new Map<string, McpSession>()
  const open = (provider: UrlServer, credentials: Credentials) => {
    const server = serverId(provider)
    return mcpSession(sender(agents, provider, credentials), (kind) => tell(kind, server))
  }
  const sessionFor = (provider: UrlServer, credentials: Credentials): McpSession => {
    const key = JSON.stringify([provider.url, provider.allow_addresses, credentials.values])
    const session = sessions.get(key) ?? open(provider, credentials)
    sessions.delete(key)
    sessions.set(key, session)
    for (const [oldest, unused] of sessions) {
      if (sessions.size <= MAX_SESSIONS) break
      sessions.delete(oldest)
      void unused.close()
    }
    return session
  }
  return {
    sessionFor,
    async close() {
      await Promise.all([...sessions.values()].map((session) => session.close()))
      sessions.clear()
    },
  }
}

function sender(agents: Agents, provider: UrlServer, credentials: Credentials): SendPost {
  const url = new URL(provider.url)
  const fixed = {
    ...lowerNames(credentials.values),
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  }
  const written = lowerNames(provider.headers)
  return ({ headers, ...post }) =>
    follow(
      agents.agentFor(provider.url, provider.allow_addresses),
      { ...post, url, written, headers: { ...fixed, ...headers } },
      'method_kept',
    )
}
