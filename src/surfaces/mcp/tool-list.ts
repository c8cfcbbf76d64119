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
 * without `type: object`, and every body here is an object, so saying so narrows nothing. They reject it as well
 * over a property that is described by `true` or `false`, which an owner may write in a policy.
 */
function withObjectRoot(schema: object): { type: 'object' } {
  const { properties } = schema as { properties?: object }
  return { ...schema, ...(properties && { properties: inWords(properties) }), type: 'object' }
}

function inWords(properties: object): object {
  const told = Object.entries(properties).map(([name, schema]) => [
    name,
    BOOLEAN_SCHEMAS.get(schema) ?? schema,
  ])
  return Object.fromEntries(told)
}

const BOOLEAN_SCHEMAS = new Map<unknown, object>([
  [true, {}],
  [false, { not: {} }],
])
