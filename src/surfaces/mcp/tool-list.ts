import type { Tool } from '@modelcontextprotocol/server'
import type { ToolDescription } from './tool-host.ts'

/** The tools of one set as the protocol wants them, and their text, worked out once per set. */
export interface ToolList {
  tools: Tool[]
  text: string
}

export type ListTools = (tools: readonly ToolDescription[]) => ToolList

/** Keeps the rendered list as long as the host keeps the array it was rendered from. */
export function createToolLists(): ListTools {
  const known = new WeakMap<readonly ToolDescription[], ToolList>()
  return (descriptions) => {
    const found = known.get(descriptions)
    if (found) return found
    const tools = descriptions.map(toTool)
    const list = { tools, text: JSON.stringify(tools) }
    known.set(descriptions, list)
    return list
  }
}

function toTool(tool: ToolDescription): Tool {
  const { inputSchema, outputSchema, ...rest } = tool
  return {
    ...rest,
    inputSchema: withObjectRoot(inputSchema),
    ...(outputSchema && { outputSchema: withObjectRoot(outputSchema) }),
  }
}

/**
 * A union of objects renders as a bare `oneOf`. 2025 clients reject the whole list over one root
 * without `type: object`, and every body here is an object, so saying so narrows nothing.
 */
function withObjectRoot(schema: object): { type: 'object' } {
  return { ...schema, type: 'object' }
}
