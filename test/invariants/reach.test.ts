import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { allOperations } from '../../src/domains/index.ts'
import type { Operation } from '../../src/operations/define-operation.ts'
import { runOperation, type Surface } from '../../src/operations/run-operation.ts'
import { GATE_FLAGS } from '../../src/platform/policy/gates.ts'
import { call, registry, surfacesOf } from '../harness/call.ts'
import { connectClient } from '../harness/call-mcp.ts'
import { callerOf, WHO, type Who } from '../harness/callers.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'

let hub: TestHub

beforeAll(async () => {
  hub = await startTestHub({
    env: Object.fromEntries(GATE_FLAGS.map((flag) => [flag, '1'])),
    // Every route is tried without a credential within one minute.
    config: { rate_limits: { failed_authentications_per_minute: 10_000 } },
  })
})
afterAll(() => hub.close())

/** Who can come in where: the command line is local, all else on it goes to a hub's REST routes. */
const ARRIVALS: Record<Surface, readonly Who[]> = {
  rest: WHO.filter((who) => who !== 'local'),
  mcp: WHO.filter((who) => who !== 'owner'),
  cli: ['local'],
}

/** The operation with its input and work taken out: what is left decides who may call it. */
function emptied(operation: Operation): Operation {
  const open = z.looseObject({})
  const nothing = {
    target: undefined,
    made: undefined,
    prepare: undefined,
    check: undefined,
    contract: undefined,
  }
  return { ...operation, ...nothing, input: open, output: open, handle: async () => ({}) }
}

async function canReach(who: Who, surface: Surface, operation: Operation): Promise<boolean> {
  const caller = callerOf(who, hub.credentials)
  const at = { surface, caller, address: 'test', vault: undefined, input: {} }
  return (await runOperation(hub.hub, { ...at, operation: emptied(operation) })).ok
}

/** Who gets through to an operation, by the surface it is on. */
async function reachersOf(operation: Operation): Promise<string[]> {
  const lines: string[] = []
  for (const surface of surfacesOf(operation)) {
    const reaching: Who[] = []
    for (const who of ARRIVALS[surface]) if (await canReach(who, surface, operation)) reaching.push(who)
    lines.push(`${operation.name} by ${surface}: ${reaching.join(' ') || '-'}`)
  }
  return lines
}

async function toolsWithinReach(who: Who): Promise<string[]> {
  const reached: string[] = []
  for (const operation of allOperations)
    if (await canReach(who, 'mcp', operation)) reached.push(operation.name)
  return reached
}

/**
 * Change this list knowingly: it is whom the pipeline lets through to each operation, with every gate open.
 * An operation may still refuse for reasons of its own, such as the scope of a flow or a missing grant.
 */
test('the pipeline lets exactly these callers through to each operation', async () => {
  const reach: string[] = []
  for (const operation of allOperations) reach.push(...(await reachersOf(operation)))
  await expect(`${reach.join('\n')}\n`).toMatchFileSnapshot('__snapshots__/reach.txt')
})

test("nothing of the owner's is an MCP tool", () => {
  const owned = allOperations.filter((operation) => operation.authority.kind === 'owner')
  expect(owned.length).toBeGreaterThan(0)
  expect(owned.filter((operation) => operation.mcp)).toEqual([])
})

test.each(WHO.filter((who) => !['anonymous', 'local', 'owner'].includes(who)))(
  'over HTTP the tools listed to %s are those it reaches',
  async (who) => {
    const client = await connectClient(`${hub.url}/mcp`, hub.credentials.bearers[who])
    const { tools } = await client.listTools()
    await client.close()
    expect(tools.map((tool) => tool.name)).toEqual(await toolsWithinReach(who))
  },
)

test.each(
  [...registry.values()]
    .filter((operation) => operation.rest)
    .map((operation) => [operation.name, operation] as const),
)('over HTTP %s is closed without a credential, before its input is looked at', async (_name, operation) => {
  const reply = await call(hub, 'rest', { operation, input: { nonsense: 1 }, as: 'anonymous' })
  expect(reply.status).toBe(401)
  if (operation.authority.kind === 'owner_surface')
    return expect(JSON.parse(reply.text)).toMatchObject({ error: { code: 'authentication_error' } })
  expect(reply.text).toBe('{"error":"Authentication is required.","code":"UNAUTHENTICATED"}')
})
