import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { PromptListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { ask, type Json, mint, startGateHub, turnGate } from '../external-agent/gate-hub.ts'
import { toolFlow } from '../external-agent/tool-servers.ts'
import { connectClient } from '../harness/call-mcp.ts'
import { callerOf, type Who } from '../harness/callers.ts'
import { childEnv } from '../harness/run-program.ts'
import { storeFlows, type TestHub } from '../harness/test-hub.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')
const newestRecords = sql<{
  operation: string
  surface: string
  code: string | null
  target_id: string | null
}>('SELECT operation, surface, code, target_id FROM audit_records ORDER BY seq DESC LIMIT 2')
const LISTEN_LIMIT = { timeout: 20_000 }

let hub: TestHub
beforeAll(async () => void (hub = await startGateHub('on')))
afterAll(() => hub.close())

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function connect(as: Who, more: Record<string, string> = {}) {
  const client = await connectClient(`${hub.url}/mcp`, hub.credentials.bearers[as], undefined, more)
  ends.push(() => client.close())
  return client
}
const holding = ({ bearer }: { bearer: string }) => connect('editor', { 'x-flow-external-bearer': bearer })

type Prompting = Pick<Client, 'listPrompts' | 'getPrompt'>
const textOf = async (client: Prompting, name: string): Promise<string> => {
  const { messages } = (await client.getPrompt({ name })) as Json
  expect(messages).toHaveLength(1)
  expect(messages[0].role).toBe('user')
  return messages[0].content.text
}
const namesOf = async (client: Prompting) =>
  ((await client.listPrompts()) as Json).prompts.map(({ name }: Json) => name)

const oldInfo = { name: 'old', version: '1' }

/** Each client that may ask for prompts, over each way that it may come. */
const CLIENTS: Readonly<Record<string, () => Promise<Prompting>>> = {
  'SDK 2.x of 2026, HTTP': () => connect('admin'),
  'SDK 1.x, HTTP': async () => {
    const client = new OldClient(oldInfo)
    const headers = { authorization: `Bearer ${hub.credentials.bearers.admin}` }
    await client.connect(new OldHttp(new URL(`${hub.url}/mcp`), { requestInit: { headers } }) as never)
    ends.push(() => client.close())
    return client as unknown as Prompting
  },
  'SDK 1.x, stdio': async () => {
    const client = new OldClient(oldInfo)
    await client.connect(new OldStdio(program()))
    ends.push(() => client.close())
    return client as unknown as Prompting
  },
  'SDK 2.x of 2026, stdio': async () => {
    const client = new Client({ name: 'new', version: '2' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StdioClientTransport(program()))
    ends.push(() => client.close())
    return client
  },
}

function program() {
  return { command: process.execPath, args: [MAIN, 'mcp', '--role', 'admin'], env: childEnv(hub.options.env) }
}

describe.each(Object.entries(CLIENTS))('over %s', (_name, open) => {
  let client: Prompting
  beforeEach(async () => void (client = await open()))

  test('a member finds every flow that it may read, and its runbook', async () => {
    const flows: Json[] = (await ask(hub, 'flow_list', {}, { as: 'admin' })).body.flows
    const { prompts } = (await client.listPrompts()) as Json
    expect(prompts.length).toBeGreaterThan(3)
    expect(prompts).toEqual(
      flows.map(({ flow_id, title, summary }) => ({ name: flow_id, title, description: summary })),
    )
    const wanted = { flow_id: 'flow_gate', harness: 'cli_runbook' }
    const { projection } = (await ask(hub, 'flow_project', wanted, { as: 'admin' })).body
    expect(await textOf(client, 'flow_gate')).toBe(projection.rendered)
  })

  test('what is no flow of its own is no prompt', async () => {
    for (const name of ['flow_not_there', 'mcp_prompt', 'cli_runbook', 'x/../y', ''])
      await expect(client.getPrompt({ name })).rejects.toThrow(`Prompt ${name} not found`)
    await expect(client.getPrompt({ name: 'flow_gate', arguments: { version: '1.0.0' } })).rejects.toThrow(
      'A flow takes no arguments as a prompt.',
    )
  })
})

test('a list and a read leave the records that flow_list and flow_project leave, and no others', async () => {
  const client = await connect('viewer')
  await client.listPrompts()
  const listed = { operation: 'flow_list', surface: 'mcp', code: null }
  expect((await hub.hub.db.all(newestRecords))[0]).toMatchObject(listed)
  await client.getPrompt({ name: 'flow_gate' })
  expect(await hub.hub.db.all(newestRecords)).toMatchObject([
    { operation: 'flow_project', surface: 'mcp', code: null, target_id: 'flow_gate' },
    listed,
  ])
  await expect(client.getPrompt({ name: 'flow_not_there' })).rejects.toThrow()
  expect((await hub.hub.db.all(newestRecords))[0]).toMatchObject({ code: 'unknown_flow' })
})

test('who may not see a flow neither finds nor gets it, and cannot tell it from one that is not there', async () => {
  const [viewer, admin] = [await connect('viewer'), await connect('admin')]
  const names = await namesOf(viewer)
  expect(names).not.toContain('flow_higher')
  expect(await namesOf(admin)).toContain('flow_higher')
  await expect(viewer.getPrompt({ name: 'flow_higher' })).rejects.toThrow('Prompt flow_higher not found')
  await expect(admin.getPrompt({ name: 'flow_higher' })).resolves.toBeDefined()
})

test('a refusal of the operation below arrives with its code', async () => {
  const client = await connect('viewer')
  const scope_overrides = { [hub.credentials.token_ids.viewer]: { ambiguous: true } }
  hub.write(hub.home.vaultMembers('default'), { scope_overrides })
  const refused = { code: -32_000, data: { code: 'FLOW_SCOPE_AMBIGUOUS' } }
  await expect(client.listPrompts()).rejects.toMatchObject(refused)
  await expect(client.getPrompt({ name: 'flow_gate' })).rejects.toMatchObject(refused)
  hub.write(hub.home.vaultMembers('default'), {})
})

test('the reserved harness of prompts stays reserved', async () => {
  const input = { flow_id: 'flow_gate', harness: 'mcp_prompt' }
  for (const way of ['rest', 'mcp', 'cli'] as const)
    expect((await ask(hub, 'flow_project', input, { way } as Json)).body.code).toBe(
      'FLOW_HARNESS_UNSUPPORTED',
    )
})

describe('the holder of a grant', () => {
  test('finds the one flow of the grant, and gets its bundle at the version of the grant', async () => {
    const held = await mint(hub)
    const client = await holding(held)
    const { prompts } = await client.listPrompts()
    expect(prompts).toEqual([
      expect.objectContaining({ name: 'flow_gate', description: expect.stringContaining('1.2.0') }),
    ])
    const result: Json = await client.callTool({ name: 'flow_project', arguments: {} })
    const { projection } = JSON.parse(result.content[0].text)
    expect(projection).toMatchObject({ harness: 'agent_bundle', flow_version: '1.2.0' })
    expect(await textOf(client, 'flow_gate')).toBe(projection.rendered)
  })

  test('gets nothing else, and nothing more once the grant or the gate is gone', async () => {
    const held = await mint(hub)
    const client = await holding(held)
    const { flows } = (await ask(hub, 'flow_list', {}, { as: 'admin' })).body
    for (const { flow_id } of flows as Json[])
      if (flow_id !== 'flow_gate') await expect(client.getPrompt({ name: flow_id })).rejects.toThrow()
    turnGate(hub, '0')
    expect(await namesOf(client)).toEqual([])
    await expect(client.getPrompt({ name: 'flow_gate' })).rejects.toMatchObject({
      data: { code: 'FLOW_HARNESS_UNSUPPORTED' },
    })
    turnGate(hub, '1')
    expect(await namesOf(client)).toEqual(['flow_gate'])
    await ask(hub, 'flow_external_grant_revoke', { grant_id: held.grant.grant_id })
    expect(await namesOf(client)).toEqual([])
    await expect(client.getPrompt({ name: 'flow_gate' })).rejects.toMatchObject({
      data: { code: 'FLOW_EXTERNAL_GRANT_REVOKED' },
    })
  })

  test('is nobody with a bearer that stands for no grant', async () => {
    const client = await holding({ bearer: `fgrnt_bearer_${'0'.repeat(64)}` })
    expect(await namesOf(client)).toEqual([])
    await expect(client.getPrompt({ name: 'flow_gate' })).rejects.toMatchObject({
      data: { code: 'FLOW_EXTERNAL_GRANT_DENIED' },
    })
  })
})

describe('where prompts are not offered', () => {
  test('an agent at a seat is told of none, and has none', async () => {
    const { operationTools } = await import('../../src/surfaces/mcp/operation-tools.ts')
    const { capabilitiesOf } = await import('../../src/surfaces/mcp/sdk-server.ts')
    const { buildRegistry } = await import('../../src/operations/registry.ts')
    const { allOperations } = await import('../../src/domains/index.ts')
    const host = operationTools(hub.hub, buildRegistry(allOperations))
    const from = { caller: callerOf('viewer', hub.credentials), vault: undefined, address: 'test' }
    const seat = { project: '/x', service: 'y', role: 'developer' } as never
    expect(capabilitiesOf(host, from, true)).toHaveProperty('prompts', { listChanged: true })
    expect(capabilitiesOf(host, { ...from, caller: { ...from.caller, seat } }, true)).toEqual({
      tools: { listChanged: true },
    })
  })
})

const publish = (flow_id: string) => storeFlows(hub.hub, 'default', [toolFlow(flow_id, ['web_search'])])

describe('when flows change', () => {
  test('a client over HTTP hears so, once it may see the flow', async () => {
    const seen: string[][] = []
    const onChanged = (_error: unknown, prompts: Json) =>
      void seen.push((prompts ?? []).map(({ name }: Json) => name))
    const client = new Client(
      { name: 'listener', version: '1' },
      {
        versionNegotiation: { mode: 'auto' },
        listChanged: { prompts: { autoRefresh: true, debounceMs: 0, onChanged } },
      },
    )
    const requestInit = { headers: { authorization: `Bearer ${hub.credentials.bearers.viewer}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${hub.url}/mcp`), { requestInit }))
    ends.push(() => client.close())
    // The hub looks once a second; a change before its first look is none.
    let round = 0
    await vi.waitFor(
      async () => {
        await publish(`flow_heard_${round++}`)
        expect(seen.at(-1)).toContain('flow_heard_0')
      },
      { ...LISTEN_LIMIT, interval: 1_500 },
    )
  }, 60_000)

  test('a client over stdio hears so', async () => {
    const client = new OldClient(oldInfo)
    let told = 0
    client.setNotificationHandler(PromptListChangedNotificationSchema, () => void told++)
    await client.connect(new OldStdio(program()))
    ends.push(() => client.close())
    let round = 0
    await vi.waitFor(
      async () => {
        await publish(`flow_told_${round++}`)
        expect(told).toBeGreaterThan(0)
      },
      { ...LISTEN_LIMIT, interval: 1_500 },
    )
  }, 60_000)

  test('looking whether they have leaves no record', async () => {
    const count = sql<{ n: number }>(
      `SELECT COUNT(*) AS n FROM audit_records WHERE operation IN ('flow_list', 'flow_project')`,
    )
    const client = await connect('viewer')
    const { honoredFilter } = await client.listen({ promptsListChanged: true, resourcesListChanged: true })
    expect(honoredFilter).toEqual({ promptsListChanged: true })
    const before = await hub.hub.db.get(count)
    await new Promise((done) => setTimeout(done, 2_500))
    expect(await hub.hub.db.get(count)).toEqual(before)
  })
})

test('nobody gets a prompt while everything is locked', async () => {
  const client = await connect('viewer')
  await ask(hub, 'lock_add', { kind: 'all' }, { as: 'owner' })
  await expect(client.getPrompt({ name: 'flow_gate' })).rejects.toMatchObject({ data: { code: 'LOCKED' } })
  await ask(hub, 'lock_release', { kind: 'all' }, { as: 'owner' })
  await expect(client.getPrompt({ name: 'flow_gate' })).resolves.toBeDefined()
})
