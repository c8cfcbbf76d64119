import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { connectClient } from '../harness/call-mcp.ts'
import type { Who } from '../harness/callers.ts'
import { storeFlows, type TestHub } from '../harness/test-hub.ts'
import {
  ALLOWED_TOOLS,
  ask,
  type Json,
  type Minted,
  mint,
  startGateHub,
  turnGate,
  writePolicy,
} from './gate-hub.ts'
import { ECHO_SCHEMA, fakeProvider, toolFlow } from './tool-servers.ts'

/** Within this time an open stream must be over; the hub looks twice a second. */
const STREAM_LIMIT_MS = 5_000

const clock: { now?: Date | undefined } = {}
let hub: TestHub
beforeAll(async () => void (hub = await startGateHub('on', { clock })))
afterAll(() => hub.close())

const connect = ({ bearer }: Pick<Minted, 'bearer'>, as: Who = 'editor', vault?: string) =>
  connectClient(`${hub.url}/mcp`, hub.credentials.bearers[as], vault, { 'x-flow-external-bearer': bearer })

/** What a holder sees and what each name answers: a code, `ok` or that there is no such tool. */
async function look(held: Pick<Minted, 'bearer'>, names: string[], as: Who = 'editor', vault?: string) {
  const client = await connect(held, as, vault)
  try {
    const { tools } = await client.listTools()
    const calls: Record<string, string> = {}
    for (const name of names) calls[name] = await outcome(client, name)
    return { tools, names: tools.map(({ name }) => name), calls }
  } finally {
    await client.close()
  }
}

async function outcome(client: Awaited<ReturnType<typeof connectClient>>, name: string): Promise<string> {
  try {
    const result: Json = await client.callTool({ name, arguments: {} })
    return result.isError ? JSON.parse(result.content[0].text).code : 'ok'
  } catch (error) {
    return (error as Error).message.replace(name, '*')
  }
}

const revoke = ({ grant }: Minted) => ask(hub, 'flow_external_grant_revoke', { grant_id: grant.grant_id })

describe('the holder of a grant over MCP', () => {
  test('sees the flow and exactly the granted tools, with their schemas', async () => {
    const [, ...others] = ALLOWED_TOOLS
    writePolicy(hub, { allowed_tools: [{ ...ALLOWED_TOOLS[0], input_schema: ECHO_SCHEMA }, ...others] })
    const held = await mint(hub, { requested_tools: ['web_search', 'alpha'] })
    const { tools, names } = await look(held, [])
    expect(names).toEqual(['flow_project', 'alpha', 'web_search'])
    expect(tools[2]).toMatchObject({ description: 'Scoped web retrieval', inputSchema: ECHO_SCHEMA })
    expect(tools[1]?.inputSchema).toEqual({ type: 'object' })
    // Nobody knows what a tool of others does, so a client is told to expect the worst.
    const unknown = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }
    for (const { annotations } of tools.slice(1)) expect(annotations).toEqual(unknown)
    writePolicy(hub, { allowed_tools: ['web_search', 'alpha'] })
    const bare = (await look(held, [])).tools.slice(1)
    expect(bare.map(({ description }) => description)).toEqual(['alpha', 'web_search'])
    writePolicy(hub)
  })

  test('is told how to begin, and reads the flow of its grant without knowing its name', async () => {
    const held = await mint(hub)
    const client = await connect(held)
    const { tools } = await client.listTools()
    const told = client.getInstructions() ?? ''
    expect(told.match(/\b(flow|proposal)_\w+/g)).toEqual(tools.map(({ name }) => name).slice(0, 1))
    expect(tools[0]?.inputSchema).toMatchObject({ properties: { harness: { enum: expect.anything() } } })
    expect(tools[0]?.inputSchema.required).toBeUndefined()
    const result: Json = await client.callTool({ name: 'flow_project', arguments: {} })
    const { projection, staleness } = JSON.parse(result.content[0].text)
    expect([projection.flow_id, projection.flow_version, projection.harness, staleness.stale]).toEqual([
      'flow_gate',
      '1.2.0',
      'agent_bundle',
      true,
    ])
    const latest: Json = await client.callTool({
      name: 'flow_project',
      arguments: { flow_id: 'flow_gate', harness: 'agent_bundle' },
    })
    expect(JSON.parse(latest.content[0].text).code).toBe('FLOW_EXTERNAL_GRANT_FLOW_MISMATCH')
    // What it does ask for is not replaced by what it may have.
    const named = async (wanted: object): Promise<string> => {
      const answer: Json = await client.callTool({ name: 'flow_project', arguments: { ...wanted } })
      return JSON.parse(answer.content[0].text).code
    }
    expect(await named({ harness: 'cursor_rule' })).toBe('FLOW_EXTERNAL_GRANT_DENIED')
    expect(await named({ version: '1.3.0' })).toBe('FLOW_EXTERNAL_GRANT_FLOW_MISMATCH')
    await client.close()
  })

  test('cannot tell a tool that is denied from one that does not exist', async () => {
    const held = await mint(hub)
    const { names, calls } = await look(held, [
      'no_such_tool',
      'slack_notify',
      'pager_call',
      'flow_list',
      'flow_external_grant_mint',
      'flow_external_grant_list',
      'flow_external_tool_invoke',
      'proposal_approve',
    ])
    expect(names).toEqual(['flow_project', 'web_search'])
    expect(new Set(Object.values(calls))).toEqual(new Set([calls.no_such_tool]))
    expect(calls.no_such_tool).toBe('FLOW_EXTERNAL_GRANT_TOOL_DENIED')
  })

  test('is offered a tool exactly as long as it may call it', async () => {
    const wanted = { requested_tools: ['web_search', 'alpha'], ttl_seconds: 600 }
    let held = await mint(hub, wanted)
    const both = async () => {
      const { names, calls } = await look(held, ['alpha', 'web_search'])
      for (const name of ['alpha', 'web_search'])
        expect([name, calls[name] === 'ok']).toEqual([name, names.includes(name)])
      return names
    }
    expect(await both()).toEqual(['flow_project', 'alpha', 'web_search'])
    writePolicy(hub, { allowed_tools: ALLOWED_TOOLS.slice(1) })
    expect(await both()).toEqual(['flow_project', 'alpha'])
    writePolicy(hub, { forbidden: true })
    expect(await both()).toEqual([])
    writePolicy(hub)
    turnGate(hub, '0')
    expect(await both()).toEqual([])
    turnGate(hub, '1')
    clock.now = new Date(Date.now() + 601_000)
    expect(await both()).toEqual([])
    clock.now = undefined
    expect(await both()).toEqual([])
    held = await mint(hub, wanted)
    const lock = { kind: 'agent', id: held.grant.grant_id }
    await ask(hub, 'lock_add', lock, { as: 'owner' })
    expect(await both()).toEqual([])
    await ask(hub, 'lock_release', lock, { as: 'owner' })
    expect(await both()).toHaveLength(3)
    await revoke(held)
    expect(await both()).toEqual([])
  })

  test('hears over MCP what an invoke over REST would say', async () => {
    const org = await mint(hub, { flow_id: 'flow_higher', flow_version: '1.2.0' }, { as: 'admin' })
    const unseen = await look(org, ['web_search'])
    expect([unseen.names, unseen.calls]).toEqual([[], { web_search: 'unknown_flow' }])
    expect((await look(org, ['web_search'], 'admin')).calls).toEqual({ web_search: 'ok' })
    await storeFlows(hub.hub, 'default', [toolFlow('flow_gone', ['web_search'])])
    const gone = await mint(hub, { flow_id: 'flow_gone', flow_version: '1.0.0' })
    const forget = sql('DELETE FROM flow_versions WHERE flow_id = ?')
    await hub.hub.db.transaction((tx) => tx.run(forget, 'flow_gone'))
    const { names, calls } = await look(gone, ['web_search'])
    expect([names, calls]).toEqual([[], { web_search: 'FLOW_EXTERNAL_GRANT_DENIED' }])
    const scope_overrides = { [hub.credentials.token_ids.editor]: { ambiguous: true } }
    hub.write(hub.home.vaultMembers('default'), { scope_overrides })
    const lost = await look(await mint(hub, {}, { as: 'admin' }), ['web_search'])
    expect([lost.names, lost.calls]).toEqual([[], { web_search: 'FLOW_SCOPE_AMBIGUOUS' }])
    hub.write(hub.home.vaultMembers('default'), {})
    const stranger = { bearer: `fgrnt_bearer_${'0'.repeat(64)}` }
    const unknown = await look(stranger, ['web_search', 'flow_list'])
    expect([unknown.names, new Set(Object.values(unknown.calls))]).toEqual([
      [],
      new Set(['FLOW_EXTERNAL_GRANT_DENIED']),
    ])
  })

  test('needs a credential of the vault that the grant is in', async () => {
    hub.write(hub.home.vaultPolicy('team1'), { external_agent: { allowed_tools: ['web_search'] } })
    await storeFlows(hub.hub, 'team1', [toolFlow('flow_team', ['web_search'])])
    const pin = { flow_id: 'flow_team', flow_version: '1.0.0', requested_tools: ['web_search'] }
    const held = await mint(hub, pin, { as: 'hub', vault: 'team1' })
    expect((await look(held, [], 'hub', 'team1')).names).toEqual(['flow_project', 'web_search'])
    const { names, calls } = await look(held, ['web_search'], 'editor', 'team1')
    expect([names, calls]).toEqual([[], { web_search: 'VAULT_DENIED' }])
    expect((await look(held, [], 'hub')).names).toEqual([])
  })

  test('is not confused by a granted tool that has the name of the hub’s own', async () => {
    const own = ['flow_project', 'flow_external_tool_invoke']
    writePolicy(hub, { allowed_tools: [...ALLOWED_TOOLS, ...own] })
    await storeFlows(hub.hub, 'default', [toolFlow('flow_same_name', [...own, 'web_search'])])
    const pin = { flow_id: 'flow_same_name', flow_version: '1.0.0' }
    const held = await mint(hub, { ...pin, requested_tools: [...own, 'web_search'] })
    expect((await look(held, [])).names).toEqual(['flow_project', 'web_search'])
    const client = await connect(held)
    for (const tool_id of own) {
      const invoked: Json = await client.callTool({
        name: 'flow_external_tool_invoke',
        arguments: { tool_id, ...pin },
      })
      expect(invoked.structuredContent).toMatchObject({ tool_id, accepted: true })
    }
    const result: Json = await client.callTool({ name: 'flow_project', arguments: {} })
    expect(result.structuredContent.schema).toBe('knowtation.flow_project/v0')
    await client.close()
    writePolicy(hub)
  })

  test('loses the very next call with the revoke', async () => {
    const held = await mint(hub)
    const client = await connect(held)
    expect(await outcome(client, 'web_search')).toBe('ok')
    await revoke(held)
    expect(await outcome(client, 'web_search')).toBe('FLOW_EXTERNAL_GRANT_REVOKED')
    await client.close()
  })
})

/** A 2025 call that stays without an answer, on a connection of its own. */
function openStream({ bearer }: Minted, token: string | undefined) {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hang', arguments: {} } }
  const abort = new AbortController()
  let ended = false
  const over = fetch(`${hub.url}/mcp`, {
    method: 'POST',
    signal: abort.signal,
    headers: {
      authorization: `Bearer ${token}`,
      'x-flow-external-bearer': bearer,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify(body),
  }).then(
    async (answer) => `answered ${await answer.text()}`,
    () => 'cut off',
  )
  void over.then(() => (ended = true))
  return { over, isOver: () => ended, abort }
}

const limited = (work: Promise<unknown>) =>
  Promise.race([work, new Promise((stop) => setTimeout(() => stop('still open'), STREAM_LIMIT_MS))])

describe('an answer that is still open', () => {
  const hanging = { id: 'hang', provider: fakeProvider('hang', { timeout_seconds: 60 }) }
  const pin = { flow_id: 'flow_hang', flow_version: '1.0.0', requested_tools: ['hang'] }
  beforeAll(async () => {
    await storeFlows(hub.hub, 'default', [toolFlow('flow_hang', ['hang'])])
    writePolicy(hub, { allowed_tools: [...ALLOWED_TOOLS, hanging] })
  })

  test.each([
    ['the revoke of its grant', 'FLOW_EXTERNAL_GRANT_REVOKED'],
    ['the end of its grant', 'FLOW_EXTERNAL_GRANT_EXPIRED'],
    ['the lock of its grant', 'LOCKED'],
    ['the gate', 'FLOW_EXTERNAL_AGENT_DISABLED'],
    ['the revoke of its token', 'UNAUTHENTICATED'],
    ['the lock of its token', 'LOCKED'],
  ])('is ended soon after %s, and says %s', async (cause, code) => {
    const [held, spare] = [await mint(hub, { ...pin, ttl_seconds: 600 }), await mint(hub, pin)]
    const { token, bearer } = (await ask(hub, 'token_create', { role: 'editor' }, { as: 'hub' })).body
    const stream = openStream(held, bearer)
    const other = openStream(spare, hub.credentials.bearers.editor)
    await new Promise((go) => setTimeout(go, 1_200))
    expect([stream.isOver(), other.isOver()]).toEqual([false, false])
    if (cause === 'the revoke of its grant') await revoke(held)
    if (cause === 'the end of its grant') clock.now = new Date(Date.now() + 601_000)
    if (cause === 'the gate') turnGate(hub, '0')
    const revoked = { token_id: token.token_id }
    if (cause === 'the revoke of its token') await ask(hub, 'token_revoke', revoked, { as: 'hub' })
    const id = cause === 'the lock of its token' ? token.token_id : held.grant.grant_id
    if (cause.startsWith('the lock')) await ask(hub, 'lock_add', { kind: 'agent', id }, { as: 'owner' })
    expect(await limited(stream.over)).toContain(`\\"code\\":\\"${code}\\"`)
    // The other one goes on, except where the gate fell for all.
    if (cause !== 'the gate') expect(other.isOver()).toBe(false)
    clock.now = undefined
    turnGate(hub, '1')
    other.abort.abort()
  })

  test('may be a subscription: whoever holds a grant listens to the changes of what it is offered, and of nothing else', async () => {
    const client = await connect(await mint(hub, pin))
    const subscription = await client.listen({
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
    })
    expect(subscription.honoredFilter).toEqual({ toolsListChanged: true, promptsListChanged: true })
    await client.close()
  })
})
