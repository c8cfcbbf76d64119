import { createHash } from 'node:crypto'
import type { CommandProvider, UrlProvider } from '../provider-policy.ts'

export const TOOLS_CHANGED = 'notifications/tools/list_changed'

const NOT_OF_THE_SERVER = new Set(['tool', 'timeout_seconds', 'max_output_bytes'])

/** An MCP server of a policy, whichever of its tools is meant. */
export type McpServer = Omit<CommandProvider, 'tool'> | Omit<UrlProvider, 'tool'>

/** A session to a server was greeted, or its server said that its list of tools is another now. */
export type ServerNews = 'session_begun' | 'tools_changed'

export interface ServerEvent {
  readonly kind: ServerNews
  /** Which server, as `serverId` names it. */
  readonly server: string
}

export type TellServer = (kind: ServerNews) => void

/** The same for all tools of a server, and for its name in the policy: what is started or asked, and as whom. */
export function serverId(server: McpServer): string {
  const told = Object.entries(server).filter(([field]) => !NOT_OF_THE_SERVER.has(field))
  const ordered = told.toSorted(([one], [other]) => (one < other ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(ordered)).digest('hex')
}
