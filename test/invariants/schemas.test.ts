import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { ErrorTable } from '../../src/operations/errors.ts'
import { openHub } from '../../src/operations/hub.ts'
import { describeTool } from '../../src/surfaces/mcp/describe-tool.ts'
import { operationTools } from '../../src/surfaces/mcp/operation-tools.ts'
import type { ToolDescription } from '../../src/surfaces/mcp/tool-host.ts'
import { createToolLists } from '../../src/surfaces/mcp/tool-list.ts'
import { registry } from '../harness/call.ts'
import { callerOf } from '../harness/callers.ts'
import { makeTestHome } from '../harness/test-hub.ts'

/** Every tool there is, as an admin sees it. */
async function listTools(): Promise<Map<string, ToolDescription>> {
  const made = await makeTestHome()
  const hub = await openHub(made.options)
  const caller = callerOf('local', {} as never)
  const tools = await operationTools(hub, registry).listTools({ caller, vault: undefined, address: 'test' })
  await hub.close()
  await made[Symbol.asyncDispose]()
  return new Map(tools.map((tool) => [tool.name, tool]))
}

const tools = await listTools()
/** The tools as the protocol carries them. */
const wireTools = createToolLists()([...tools.values()]).tools

/** The status and the text of each code. What the command line adds for a person may change freely. */
function onTheWire(errors: ErrorTable) {
  return Object.fromEntries(
    Object.entries(errors).map(([code, { status, message }]) => [code, { status, message }]),
  )
}

describe.each([...registry])('%s', (name, operation) => {
  test('is described on every surface as committed', async () => {
    const { rest = null, cli = null, effect, authority, gate = null, errors } = operation
    const described = {
      rest,
      cli,
      effect,
      authority,
      gate,
      errors: onTheWire(errors),
      tool_annotations: tools.get(name)?.annotations ?? null,
      input: z.toJSONSchema(operation.input, { io: 'input' }),
      output: z.toJSONSchema(operation.output, { io: 'output' }),
    }
    await expect(`${JSON.stringify(described, null, 2)}\n`).toMatchFileSnapshot(`__snapshots__/${name}.json`)
  })

  test('takes an object that may hold nothing else', () => {
    expect(z.toJSONSchema(operation.input, { io: 'input' })).toMatchObject({
      type: 'object',
      additionalProperties: false,
    })
  })

  test('says what each of its inputs is for', () => {
    const { properties = {} } = z.toJSONSchema(operation.input, { io: 'input' })
    const silent = Object.entries(properties).filter(
      ([, value]) => !(value as { description?: string }).description,
    )
    expect(silent.map(([key]) => key)).toEqual([])
  })
})

/** What can reach other machines: a client may want to ask a person first. */
const OPEN_WORLD = ['flow_external_tool_invoke', 'git_push', 'install_dependencies', 'install_package']

test('tools that can reach other machines say so, and no others, those of a seat included', () => {
  const told = [...registry.values()]
    .filter((operation) => operation.mcp && describeTool(operation).annotations.openWorldHint)
    .map(({ name }) => name)
  expect(told.toSorted()).toEqual(OPEN_WORLD)
})

describe.each(wireTools.map((tool) => [tool.name, tool] as const))('the tool %s', (name, tool) => {
  const effect = registry.get(name)?.effect

  test.each(['inputSchema', 'outputSchema'] as const)('has an %s that every client can read', (part) => {
    expect(tool[part]).toMatchObject({ type: 'object' })
    for (const union of ['anyOf', 'oneOf', 'allOf']) expect(tool[part]).not.toHaveProperty(union)
  })

  test('has annotations that follow from its effect', () => {
    expect(tool.annotations).toEqual({
      readOnlyHint: effect === 'read',
      destructiveHint: effect === 'update' || effect === 'delete',
      idempotentHint: registry.get(name)?.idempotent,
      openWorldHint: OPEN_WORLD.includes(name),
    })
  })
})
