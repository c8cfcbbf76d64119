import type { Credentials } from '../credentials.ts'
import { type ServerNews, serverId } from '../mcp/server-events.ts'
import type { UrlProvider } from '../provider-policy.ts'
import { follow } from './follow.ts'
import type { Agents } from './guarded-agent.ts'
import { lowerNames } from './http-call.ts'
import { type McpSession, mcpSession } from './mcp-session.ts'
import type { SendPost } from './posting.ts'

const MAX_SESSIONS = 64

type UrlServer = Omit<UrlProvider, 'tool'>

/** MCP servers reached by url: one conversation for each url and set of credentials. */
export interface McpServers {
  sessionFor(provider: UrlServer, credentials: Credentials): McpSession
  close(): Promise<void>
}

export function mcpServers(agents: Agents, tell: (kind: ServerNews, server: string) => void): McpServers {
  const sessions = new Map<string, Opened>()
  const open = (provider: UrlServer, credentials: Credentials): Opened => {
    const server = serverId(provider)
    const shown = { latest: credentials }
    const session = mcpSession(sender(agents, provider, shown), (kind) => tell(kind, server))
    return { session, shown }
  }
  const sessionFor = (provider: UrlServer, credentials: Credentials): McpSession => {
    const key = JSON.stringify([provider.url, provider.allow_addresses, whoseOf(provider, credentials)])
    const opened = sessions.get(key) ?? open(provider, credentials)
    opened.shown.latest = credentials
    sessions.delete(key)
    sessions.set(key, opened)
    for (const [oldest, unused] of sessions) {
      if (sessions.size <= MAX_SESSIONS) break
      sessions.delete(oldest)
      void unused.session.close()
    }
    return opened.session
  }
  return {
    sessionFor,
    async close() {
      await Promise.all([...sessions.values()].map(({ session }) => session.close()))
      sessions.clear()
    },
  }
}

/** A session, and the credentials that its own questions go with. */
interface Opened {
  readonly session: McpSession
  readonly shown: { latest: Credentials }
}

/** Whom a session is for: a connection stays the same one with every token of its. */
function whoseOf({ credentials }: UrlServer, { values }: Credentials): object {
  if (!credentials) return values
  const { authorization: _, ...others } = values
  return { ...others, ...credentials }
}

function sender(agents: Agents, provider: UrlServer, shown: Opened['shown']): SendPost {
  const url = new URL(provider.url)
  const kinds = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  const written = lowerNames(provider.headers)
  return ({ headers, authorization, ...post }) => {
    const own = { ...lowerNames(shown.latest.values), ...(authorization !== undefined && { authorization }) }
    return follow(
      agents.agentFor(provider.url, provider.allow_addresses),
      { ...post, url, written, headers: { ...own, ...kinds, ...headers } },
      'method_kept',
    )
  }
}
