import type { Bounds } from '../deadline.ts'
import type { ToolListing, Vet, Wanted } from './tool-listing.ts'

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
  /** What the server lists: asked for anew, or the latest that the session knows. */
  list(bounds: Bounds, want: Wanted): Promise<ToolListing>
}
