import { ProtocolError, type Tool } from '@modelcontextprotocol/server'
import type { ToolDescription } from './tool-host.ts'

/** The tools of one set as the protocol wants them, and their text, worked out once per set. */
export interface ToolList {
  tools: Tool[]
  /** The members of the result that has the first page. */
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
    const list = { tools, text: JSON.stringify(pageOf(tools, undefined)).slice(1, -1) }
    known.set(descriptions, list)
    return list
  }
}

/** Tools on one page: every client takes so many, and no hub of one owner has more without reason. */
const PAGE = 500

/** One page of a list; a cursor that we have not given out is an error, as the protocol says. */
export function pageOf(tools: Tool[], cursor: string | undefined): { tools: Tool[]; nextCursor?: string } {
  const from = cursor === undefined ? 0 : Number(/^from-(\d{1,6})$/.exec(cursor)?.[1] ?? Number.NaN)
  if (Number.isNaN(from) || (from > 0 && from >= tools.length))
    throw new ProtocolError(-32_602, 'The cursor is not one of this list.')
  const next = from + PAGE
  return { tools: tools.slice(from, next), ...(next < tools.length && { nextCursor: `from-${next}` }) }
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
