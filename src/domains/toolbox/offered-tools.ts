import { z } from 'zod'
import { anySeat, hasAuthority } from '../../operations/authority.ts'
import { defineOperation, type Operation } from '../../operations/define-operation.ts'
import type { Caller } from '../../platform/identity/caller.ts'

const SCHEMA = 'knowtation.tool_list/v0'

export const Listed = z.strictObject({
  schema: z.literal(SCHEMA),
  role: z.string(),
  tools: z.array(
    z.strictObject({
      name: z.string(),
      description: z.string(),
      input_schema: z.record(z.string(), z.unknown()),
    }),
  ),
})

/** Tells a caller who does not speak MCP the same list: the tools of its role, which are those it may call. */
export function toolList(tools: readonly Operation[]) {
  return defineOperation({
    name: 'tool_list',
    summary: 'List the tools that the session may call, with the schemas of their arguments.',
    effect: 'read',
    authority: anySeat(),
    rest: 'GET /api/v1/tools',
    errors: {},
    input: z.strictObject({}),
    output: Listed,
    handle: async ({ caller }) => listToolsFor(tools, caller),
  })
}

/** What a caller at a seat is told of its tools. */
export function listToolsFor(tools: readonly Operation[], caller: Caller): z.output<typeof Listed> {
  const offered = tools.filter(({ authority }) => hasAuthority(authority, caller))
  return {
    schema: SCHEMA,
    role: caller.seat?.role ?? '',
    tools: offered.map(({ name, description, input }) => ({
      name,
      description,
      input_schema: z.toJSONSchema(input, { io: 'input' }),
    })),
  }
}
