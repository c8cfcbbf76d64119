import { afterAll, beforeAll, describe, expect } from 'vitest'
import { requireOperation } from '../harness/call.ts'
import { commandLine } from '../harness/call-cli.ts'
import { connectClient } from '../harness/call-mcp.ts'
import type { Who } from '../harness/callers.ts'
import { BIN, runProgram } from '../harness/run-program.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { auditRecords } from '../rest/rest-hub.fixture.ts'
import { ask, type Json, policyWith, startGateHub, turnGate } from './gate-hub.ts'
import {
  ECHO_SCHEMA,
  type Endpoint,
  STDIO_ECHO,
  startEndpoint,
  startMcpServer,
  toolFlow,
} from './tool-servers.ts'

const TOOLS = ['tour_stdio', 'tour_mcp', 'tour_http', 'tour_stub']
const REVOKED = 'FLOW_EXTERNAL_GRANT_REVOKED'

interface Held {
  as?: Who
  external_bearer?: string
}

/** One way to call an operation; what it answered, as a document. */
type Door = (hub: TestHub, name: string, input: Record<string, unknown>, how?: Held) => Promise<Json>

const overHarness =
  (way: 'rest' | 'mcp' | 'cli'): Door =>
  async (hub, name, input, { as = 'editor', external_bearer } = {}) =>
    (await ask(hub, name, input, { way, as, ...(external_bearer && { presented: { external_bearer } }) }))
      .body

/** The program itself, in a process of its own. */
const overBin: Door = async (hub, name, input, { as = 'editor', external_bearer } = {}) => {
  const operation = requireOperation(name)
  const { argv, stdin } = commandLine({ operation, input, as })
  const env = {
    KNOWTATION_TOKEN: hub.credentials.bearers[as],
    ...(external_bearer && { KNOWTATION_GRANT_BEARER: external_bearer }),
  }
  const { stdout } = await runProgram([BIN, ...argv, '--url', hub.url], env, stdin)
  return JSON.parse(stdout)
}

/** Whoever holds a grant over MCP calls its tools by name, and gets their own answers. */
const overMcp: Door = async (hub, name, input, how = {}) => {
  const { external_bearer } = how
  if (name !== 'flow_external_tool_invoke' || !external_bearer)
    return overHarness('mcp')(hub, name, input, how)
  const headers = { 'x-flow-external-bearer': external_bearer }
  const client = await connectClient(`${hub.url}/mcp`, hub.credentials.bearers.editor, undefined, headers)
  try {
    const result: Json = await client.callTool({
      name: String(input.tool_id),
      arguments: input.payload as Json,
    })
    const { text } = result.content[0]
    if (result.isError) return JSON.parse(text)
    return { accepted: true, result: text.startsWith('{') ? (JSON.parse(text).result ?? undefined) : result }
  } finally {
    await client.close()
  }
}

const DOORS: Record<string, Door> = {
  rest: overHarness('rest'),
  mcp: overMcp,
  cli: overHarness('cli'),
  program: overBin,
}

/** The whole way from a proposal to a revoked grant, on each surface and through the real program. */
export function describeTours(): void {
  describe('the whole tour', () => {
    let hub: TestHub
    let endpoint: Endpoint
    let server: Awaited<ReturnType<typeof startMcpServer>>
    beforeAll(async () => {
      endpoint = await startEndpoint()
      server = await startMcpServer()
      hub = await startGateHub('on', {
        policy: policyWith({ allowed_tools: boundTools(endpoint.url, server.url) }),
      })
    })
    afterAll(async () => {
      await hub.close()
      await endpoint.close()
      server.close()
    })
    for (const [surface, door] of Object.entries(DOORS)) {
      verifies(
        ['GATE-173', 'GATE-174'],
        `propose, approve, mint, fetch, invoke, revoke, refused, verified: by ${surface}`,
        () => takeTour(hub, endpoint, surface, door),
        90_000,
      )
    }
  })
}

function boundTools(endpoint: string, mcp: string): object[] {
  return [
    { id: 'tour_stdio', description: 'Echo', input_schema: ECHO_SCHEMA, provider: STDIO_ECHO },
    { id: 'tour_mcp', input_schema: ECHO_SCHEMA, provider: { kind: 'mcp', url: mcp, tool: 'echo' } },
    { id: 'tour_http', provider: { kind: 'http', method: 'POST', url: endpoint } },
    { id: 'tour_stub' },
  ]
}

async function takeTour(hub: TestHub, endpoint: Endpoint, surface: string, door: Door): Promise<void> {
  const flow_id = `flow_tour_${surface}`
  const input = { bundle: toolFlow(flow_id, TOOLS), intent: 'It helps.' }
  const { proposal_id } = await door(hub, 'flow_propose', input)
  expect((await door(hub, 'proposal_approve', { proposal_id }, { as: 'admin' })).status).toBe('approved')
  const pin = { flow_id, flow_version: '1.0.0' }
  const { grant, bearer } = await door(hub, 'flow_external_grant_mint', { ...pin, requested_tools: TOOLS })
  const held = { external_bearer: bearer }
  const fetch = { flow_id, harness: 'agent_bundle' }
  const fetched = await door(hub, 'flow_project', fetch, held)
  expect(JSON.parse(fetched.projection.rendered).allowed_tools).toEqual(TOOLS.toSorted())
  const invoke = (tool_id: string, payload: object) =>
    door(hub, 'flow_external_tool_invoke', { tool_id, ...pin, payload }, held)
  const message = `hello by ${surface}`
  const echoed = { accepted: true, result: { content: [{ type: 'text', text: `Echo: ${message}` }] } }
  expect(await invoke('tour_stdio', { message })).toMatchObject(echoed)
  expect(await invoke('tour_mcp', { message })).toMatchObject(echoed)
  expect((await invoke('tour_http', { message })).result).toMatchObject({ status: 200 })
  expect(JSON.parse(endpoint.got.at(-1)?.body ?? '')).toEqual({ message })
  const stub = await invoke('tour_stub', {})
  expect([stub.accepted, stub.result]).toEqual([true, undefined])
  expect(await countOf(hub, door, grant.grant_id)).toBe(4)
  const calls = endpoint.got.length
  expect(
    (await door(hub, 'flow_external_grant_revoke', { grant_id: grant.grant_id })).revoked_at,
  ).toBeTruthy()
  expect((await invoke('tour_http', { message })).code).toBe(REVOKED)
  expect((await door(hub, 'flow_project', fetch, held)).code).toBe(REVOKED)
  expect(endpoint.got.length).toBe(calls)
  expect(await countOf(hub, door, grant.grant_id)).toBe(4)
  await expectRecorded(hub, surface)
}

async function countOf(hub: TestHub, door: Door, grant_id: string): Promise<number | undefined> {
  const { grants } = await door(hub, 'flow_external_grant_list', {})
  return grants.find((grant: Json) => grant.grant_id === grant_id)?.invocation_count
}

/** The audit log tells each call of the tour by its surface, and no record of it was touched. */
async function expectRecorded(hub: TestHub, surface: string): Promise<void> {
  const calls = (await auditRecords(hub)).filter(({ operation }) => operation === 'flow_external_tool_invoke')
  const allowed = calls.filter(({ outcome }) => outcome === 'allowed').map(({ target_id }) => target_id)
  expect(allowed.slice(-TOOLS.length)).toEqual(TOOLS)
  expect(calls.at(-1)).toMatchObject({
    surface: surface === 'mcp' ? 'mcp' : 'rest',
    caller_id: hub.credentials.token_ids.editor,
    outcome: 'denied',
    code: REVOKED,
  })
  const verified = await ask(hub, 'audit_verify', {}, { as: 'owner' })
  expect(verified.body).toMatchObject({ intact: true, fault: null })
  turnGate(hub, '0')
  const pin = { flow_id: `flow_tour_${surface}`, flow_version: '1.0.0' }
  const off = await ask(hub, 'flow_external_tool_invoke', { tool_id: 'tour_stub', ...pin })
  turnGate(hub, '1')
  expect(off.code).toBe('FLOW_EXTERNAL_AGENT_DISABLED')
}
