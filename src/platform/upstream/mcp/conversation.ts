import type { Bounds } from '../deadline.ts'
import type { ListedTool, ToolListing } from './tool-listing.ts'

/**
 * Looks at what a session lists under the name of a tool, immediately before a call of it is sent. What it throws
 * ends the call.
 */
export type Vet = (listed: readonly ListedTool[]) => void

/** A call of one tool of an MCP server. */
export interface ToolCall extends Bounds {
  readonly tool: string
  readonly payload: Record<string, unknown>
  readonly limit_bytes: number
  readonly vet?: Vet | undefined
}

/** A conversation with an MCP server, however it is reached. */
export interface McpConversation {
  call(call: ToolCall): Promise<object>
  /** What the server lists now. */
  list(bounds: Bounds): Promise<ToolListing>
}
