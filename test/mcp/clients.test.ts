import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client'
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasAuthority } from '../../src/operations/authority.ts'
import { localCaller } from '../../src/platform/identity/caller.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { registry } from '../harness/call.ts'
import { BIN, childEnv } from '../harness/run-program.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'

/** Over HTTP the clients come as a viewer, over stdio as the one who runs the hub. */
function toolsOf(role: 'viewer' | 'admin'): { name: string; readOnlyHint: boolean }[] {
  const caller = { ...localCaller('other'), role }
  return [...registry.values()]
    .filter((operation) => operation.mcp && hasAuthority(operation.authority, caller))
    .map(({ name, effect }) => ({ name, readOnlyHint: effect === 'read' }))
}

const HARNESS_REFUSAL = '{"error":"This harness is not served.","code":"FLOW_HARNESS_UNSUPPORTED"}'

/** What both generations of the client can do. */
interface AnyClient {
  listTools(): Promise<{
    tools: { name: string; annotations?: { readOnlyHint?: boolean | undefined } | undefined }[]
  }>
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>
  close(): Promise<void>
}

interface Called {
  operation: string
  client: string
  surface: string
  caller_kind: string
  outcome: string
  code: string | null
}
const readCalls = sql<Called>(
  `SELECT operation, client, surface, caller_kind, outcome, code FROM audit_records
   WHERE operation NOT IN ('hub_started', 'starter_flows_seeded') ORDER BY seq`,
)

let hub: TestHub
const open: AnyClient[] = []

// One hub each: equal refusals of one caller are counted together after the first ten.
beforeEach(async () => {
  hub = await startTestHub()
})
afterEach(async () => {
  for (const client of open.splice(0)) await client.close()
  await hub.close()
})

const info = { name: 'claude-code', version: '1.0' }
const address = () => new URL(`${hub.url}/mcp`)
const credential = () => ({
  requestInit: { headers: { authorization: `Bearer ${hub.credentials.bearers.viewer}` } },
})
const program = () => ({
  command: process.execPath,
  args: [BIN, 'mcp'],
  env: childEnv(hub.options.env),
  stderr: 'pipe' as const,
})

/** How to connect, and the name the audit log then has for the client. */
const CONNECTIONS: [string, string, () => Promise<AnyClient>][] = [
  [
    'the 2.x client over HTTP',
    'claude-code',
    async () => {
      const client = new NewClient(info, { versionNegotiation: { mode: 'auto' } })
      await client.connect(new NewHttp(address(), credential()))
      return client
    },
  ],
  [
    'the 2.x client over HTTP, in the older protocol',
    // Without a session only the opening carries the name; each call has the user agent.
    'node',
    async () => {
      const client = new NewClient(info)
      await client.connect(new NewHttp(address(), credential()))
      return client
    },
  ],
  [
    'the 1.x client over HTTP',
    'node',
    async () => {
      const client = new OldClient(info)
      await client.connect(new OldHttp(address(), credential()) as Parameters<OldClient['connect']>[0])
      return client
    },
  ],
  [
    'the 2.x client over stdio',
    'claude-code',
    async () => {
      const client = new NewClient(info, { versionNegotiation: { mode: 'auto' } })
      await client.connect(new NewStdio(program()))
      return client
    },
  ],
  [
    'the 1.x client over stdio',
    'claude-code',
    async () => {
      const client = new OldClient(info)
      await client.connect(new OldStdio(program()))
      return client
    },
  ],
]

/** What the audit log gained while something was done. */
async function recordsOf(act: () => Promise<unknown>): Promise<Called[]> {
  const before = (await hub.hub.db.all(readCalls)).length
  await act()
  return (await hub.hub.db.all(readCalls)).slice(before)
}

describe.each(CONNECTIONS)('%s', (name, recorded, connect) => {
  const caller_kind = name.includes('stdio') ? 'local' : 'token'

  async function connected(): Promise<AnyClient> {
    const client = await connect()
    open.push(client)
    return client
  }

  test('lists the tools it may call, and says which only read', async () => {
    const { tools } = await (await connected()).listTools()
    const hints = tools.map((tool) => ({ name: tool.name, readOnlyHint: tool.annotations?.readOnlyHint }))
    expect(hints).toEqual(toolsOf(caller_kind === 'local' ? 'admin' : 'viewer'))
  })

  test('calls a tool whose answer keeps to its schema', async () => {
    const client = await connected()
    // The clients check structured content against the schema of a tool that they have listed.
    await client.listTools()
    for (const tool of ['flow_list', 'whoami'])
      expect(await client.callTool({ name: tool, arguments: {} })).toMatchObject({
        structuredContent: { schema: `knowtation.${tool}/v0`, vault_id: 'default' },
      })
  })

  test('gets the reason of a refusal', async () => {
    const client = await connected()
    await client.listTools()
    const input = { flow_id: 'flow_research_brief', harness: 'mcp_prompt' }
    const refused = await client.callTool({ name: 'flow_project', arguments: input })
    expect(refused).toMatchObject({ isError: true, content: [{ type: 'text', text: HARNESS_REFUSAL }] })
  })

  test('finds an operation that is no tool as little as a tool that does not exist', async () => {
    const client = await connected()
    const fault = (tool: string) =>
      client.callTool({ name: tool, arguments: {} }).then(
        () => undefined,
        (error: Error & { code?: number }) => [error.code, error.message.replace(tool, 'X')],
      )
    const missing = await fault('no_such_tool')
    expect(missing?.[0]).toBe(-32602)
    for (const tool of ['token_create', 'token_list', 'doctor', 'mcp_request'])
      expect(await fault(tool)).toEqual(missing)
  })

  test('leaves a record of each call, with what is known of the client', async () => {
    const client = await connected()
    const calls = await recordsOf(async () => {
      await client.callTool({ name: 'flow_list', arguments: {} })
      await client.callTool({ name: 'flow_get', arguments: { flow_id: 'flow_nope' } })
      await client.callTool({ name: 'flow_get', arguments: { flow_id: 1 } })
      await client.callTool({ name: 'token_create', arguments: {} }).catch(() => {})
    })
    const who = { client: recorded, surface: 'mcp', caller_kind }
    expect(calls).toEqual([
      { ...who, operation: 'flow_list', outcome: 'allowed', code: null },
      { ...who, operation: 'flow_get', outcome: 'denied', code: 'unknown_flow' },
      { ...who, operation: 'flow_get', outcome: 'denied', code: 'BAD_REQUEST' },
      { ...who, operation: 'mcp_request', outcome: 'denied', code: 'NOT_FOUND' },
    ])
  })
})
