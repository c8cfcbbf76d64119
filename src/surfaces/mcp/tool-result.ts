import type { CallToolResult } from '@modelcontextprotocol/server'
import type { ToolAnswer } from './tool-host.ts'

/**
 * A refusal carries no structuredContent: 1.x clients check it against the tool's outputSchema even
 * when isError is set, and would report a schema failure in place of our code. Where the schema has
 * refusals in it, as those of the toolbox do, the host gives the whole result.
 */
export function toToolResult(answer: ToolAnswer): CallToolResult {
  if (answer.result !== undefined) return JSON.parse(answer.result) as CallToolResult
  const content: CallToolResult['content'] = [{ type: 'text', text: answer.text }]
  return answer.ok ? { content, structuredContent: JSON.parse(answer.text) } : { content, isError: true }
}

/** The same result as JSON text, around the finished document, without parsing it. */
export function renderToolResult(answer: ToolAnswer): string {
  if (answer.result !== undefined) return renderOnOneLine(answer.result).slice(1, -1)
  const content = `"content":[{"type":"text","text":${JSON.stringify(answer.text)}}]`
  return answer.ok
    ? `${content},"structuredContent":${renderOnOneLine(answer.text)}`
    : `${content},"isError":true`
}

/** A line break between tokens is good JSON, but would end the `data:` line of an event. */
function renderOnOneLine(text: string): string {
  return text.includes('\n') || text.includes('\r') ? JSON.stringify(JSON.parse(text)) : text
}

export interface RpcError {
  code: number
  message: string
}

/** Told of faults; never alters an answer. */
export type OnError = (error: Error) => void

/** All a client learns of a fault: what was thrown may hold anything. */
export const INTERNAL_ERROR: RpcError = { code: -32603, message: 'Internal error' }

/** The words the SDK's own registry uses for a tool it does not have. */
export function unknownToolError(name: string): RpcError {
  return { code: -32602, message: `Tool ${name} not found` }
}
