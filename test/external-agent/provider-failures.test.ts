import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isRunning } from '../../src/platform/upstream/fixtures/test-upstreams.fixture.ts'
import { connectClient } from '../harness/call-mcp.ts'
import { storeFlows, type TestHub } from '../harness/test-hub.ts'
import { auditRecords, send } from '../rest/rest-hub.fixture.ts'
import { ask, type Json, listed, mint, policyWith, startGateHub, type Told } from './gate-hub.ts'
import { type Endpoint, fakeProvider, startEndpoint, startMcpServer, toolFlow } from './tool-servers.ts'

const ENV_SECRET = 'canary-env-5f1c9d2e7b'
const FILE_SECRET = 'canary-file-8a6e3b0c41'
const FAILED = 'FLOW_EXTERNAL_PROVIDER_FAILED'
const TIMEOUT = 'FLOW_EXTERNAL_PROVIDER_TIMEOUT'
const pin = { flow_id: 'flow_fake', flow_version: '1.0.0' }

const folder = mkdtempSync(join(tmpdir(), 'knowtation-credentials-'))
const credential = join(folder, 'credential')
let endpoint: Endpoint
let hidden: Endpoint
let server: Awaited<ReturnType<typeof startMcpServer>>
let hub: TestHub
let tools: Record<string, object>

beforeAll(async () => {
  writeFileSync(credential, `${FILE_SECRET}\n`)
  endpoint = await startEndpoint()
  hidden = await startEndpoint()
  server = await startMcpServer()
  tools = providers()
  const allowed_tools = Object.entries(tools).map(([id, provider]) => ({ id, provider }))
  const env = { FAKE_KEY: ENV_SECRET }
  hub = await startGateHub('on', { env, policy: policyWith({ allowed_tools }) })
  await storeFlows(hub.hub, 'default', [toolFlow(pin.flow_id, Object.keys(tools))])
})
afterAll(async () => {
  await hub.close()
  await endpoint.close()
  await hidden.close()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

function providers(): Record<string, object> {
  const keys = { env: ['FAKE_KEY'], env_files: { FAKE_FILE: credential } }
  const http = { kind: 'http', method: 'POST', url: endpoint.url }
  const onward = `${endpoint.url}/to/127.0.0.1:${hidden.port}/`
  return {
    echo: fakeProvider('echo', keys),
    environment: fakeProvider('env', keys),
    fault: fakeProvider('fault', keys),
    pid: fakeProvider('pid', keys),
    crash: fakeProvider('crash', keys),
    cancelled: fakeProvider('cancelled', keys),
    freeze: fakeProvider('freeze', { env: ['FAKE_KEY'], timeout_seconds: 1 }),
    frozen_pid: fakeProvider('pid', { env: ['FAKE_KEY'] }),
    remote_echo: { kind: 'mcp', url: server.url, tool: 'echo' },
    hang: fakeProvider('hang', { ...keys, timeout_seconds: 30 }),
    slow: fakeProvider('hang', { ...keys, timeout_seconds: 1 }),
    big: fakeProvider('big', { ...keys, max_output_bytes: 10_000 }),
    shapeless: fakeProvider('shapeless', keys),
    absent_tool: fakeProvider('no_such_tool', keys),
    absent_program: { kind: 'mcp', command: [join(folder, 'no-such-program')], tool: 'x' },
    absent_credential: fakeProvider('echo', { env_files: { FAKE_FILE: join(folder, 'no-such-file') } }),
    http_env: { ...http, headers: { authorization: 'Bearer env:FAKE_KEY' } },
    http_file: { ...http, headers: { authorization: `file:${credential}` } },
    http_status: { ...http, url: `${endpoint.url}/status/500` },
    http_onward: { ...http, url: onward },
    http_listed: { ...http, url: onward, allow_addresses: ['127.0.0.1'] },
    http_elsewhere: {
      ...http,
      url: onward,
      allow_addresses: ['127.0.0.1'],
      headers: { 'user-agent': 'env:FAKE_KEY', accept: 'application/json' },
    },
    http_closed: { ...http, url: 'http://127.0.0.1:9/' },
  }
}

/** Invokes a tool with a grant of its own; what was answered and what was counted. */
async function use(tool_id: string, payload: object = {}): Promise<Told & { counted: number | undefined }> {
  const { presented, grant } = await mint(hub, { ...pin, requested_tools: [tool_id] })
  const told = await ask(hub, 'flow_external_tool_invoke', { tool_id, ...pin, payload }, { presented })
  return { ...told, counted: await countOf(grant.grant_id) }
}

async function countOf(grant_id: string): Promise<number | undefined> {
  return (await listed(hub)).find((grant) => grant.grant_id === grant_id)?.invocation_count
}

const textOf = ({ body }: Told): Json => JSON.parse(body.result.content[0].text)

test('a number that no program can hold is refused, not sent on as something else', async () => {
  const { bearer, grant } = await mint(hub, { ...pin, requested_tools: ['http_env'] })
  const headers = { 'x-flow-external-bearer': bearer }
  const before = endpoint.got.length
  const invoke = `{"flow_id":"${pin.flow_id}","flow_version":"${pin.flow_version}","payload":{"amount":1e400}}`
  const path = '/api/v1/flows/external-tools/http_env/invoke'
  const editor = hub.credentials.bearers.editor
  const rest = await send(hub.url, { method: 'POST', path, bearer: editor, headers, body: invoke })
  expect([rest.status, JSON.parse(rest.text)]).toEqual([
    400,
    { error: 'The body holds a number that is too large.', code: 'BAD_REQUEST' },
  ])
  const named = '{"name":"http_env","arguments":{"amount":-1e400}}'
  const mcp = await send(hub.url, {
    method: 'POST',
    path: '/mcp',
    bearer: editor,
    headers: { ...headers, accept: 'application/json, text/event-stream' },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${named}}`,
  })
  expect([mcp.status, JSON.parse(mcp.text).error.code]).toEqual([400, -32600])
  expect([endpoint.got.length, await countOf(grant.grant_id)]).toEqual([before, 0])
})

describe('a provider that fails', () => {
  // What may have reached the provider counts; what never left the hub is given back.
  test.each([
    ['slow', TIMEOUT, 504, 1],
    ['big', FAILED, 502, 1],
    ['crash', FAILED, 502, 1],
    ['fault', FAILED, 502, 1],
    ['shapeless', FAILED, 502, 1],
    ['http_status', FAILED, 502, 1],
    ['absent_tool', FAILED, 502, 0],
    ['absent_program', FAILED, 502, 0],
    ['absent_credential', FAILED, 502, 0],
    ['http_closed', FAILED, 502, 0],
  ] as const)(
    '%s is told by its code, and the count tells what was sent',
    async (tool_id, code, status, counted) => {
      const told = await use(tool_id, { bytes: 50_000 })
      expect([told.status, told.code, told.counted]).toEqual([status, code, counted])
      expect(Object.keys(told.body)).toEqual(['error', 'code'])
      const [last, before] = (await auditRecords(hub))
        .filter(({ operation }) => operation === 'flow_external_tool_invoke')
        .toReversed()
      expect(last).toMatchObject({ outcome: 'failed', code, target_id: tool_id })
      expect(before).toMatchObject({ outcome: 'allowed', target_id: tool_id })
      const warned = hub.logged.map((line) => JSON.parse(line)).filter(({ reason }) => reason !== undefined)
      expect(warned.at(-1)?.tool).toBe(tool_id)
      expect(warned.at(-1)?.status).toBe(tool_id === 'http_status' ? 500 : undefined)
    },
  )

  test('by a crash is started again for the next call', async () => {
    const first = textOf(await use('pid')).pid
    expect((await use('crash')).code).toBe(FAILED)
    const second = textOf(await use('pid')).pid
    expect(second).not.toBe(first)
    expect(isRunning(first)).toBe(false)
    expect(isRunning(second)).toBe(true)
  })

  test('by saying nothing any more is ended and started again', async () => {
    const first = textOf(await use('frozen_pid')).pid
    expect((await use('freeze')).code).toBe(TIMEOUT)
    // Whoever waits for the silent one hears so when it is ended.
    expect((await use('frozen_pid')).code).toBe(TIMEOUT)
    const second = textOf(await use('frozen_pid')).pid
    expect([second === first, isRunning(first)]).toEqual([false, false])
  })

  test('by a restart at its address is greeted again', async () => {
    const said = { message: 'hello' }
    expect((await use('remote_echo', said)).text).toContain('Echo: hello')
    await server.close()
    expect((await use('remote_echo', said)).code).toBe(FAILED)
    server = await startMcpServer(server.port)
    expect((await use('remote_echo', said)).text).toContain('Echo: hello')
  })
})

const formsOf = (secret: string) => [
  secret,
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('hex'),
]

describe('credentials', () => {
  test('reach the provider and nobody else', async () => {
    const told = await use('environment')
    const seen = textOf(told)
    expect([seen.FAKE_KEY, seen.FAKE_FILE]).toEqual(['[REDACTED]', '[REDACTED]'])
    expect(seen.KNOWTATION_JWT_SECRET).toBeUndefined()
    const [by_env, by_file] = [await use('http_env'), await use('http_file')]
    const sent = endpoint.got.slice(-2).map(({ headers }) => headers.authorization)
    expect(sent).toEqual([`Bearer ${ENV_SECRET}`, FILE_SECRET])
    const fault = await use('fault')
    const echoed = await use('echo', {
      again: `${ENV_SECRET} ${Buffer.from(FILE_SECRET).toString('base64')}`,
    })
    const answers = [told, by_env, by_file, fault, echoed].map(({ text }) => text).join()
    const records = JSON.stringify(await auditRecords(hub))
    for (const secret of [ENV_SECRET, FILE_SECRET].flatMap(formsOf)) {
      expect(answers).not.toContain(secret)
      expect(records).not.toContain(secret)
      expect(hub.logged.join()).not.toContain(secret)
    }
    expect(by_env.text).toContain('[REDACTED]')
  })

  test('do not go on to another origin, whatever header they stand in', async () => {
    expect((await use('http_elsewhere')).status).toBe(200)
    expect(endpoint.got.at(-1)?.headers['user-agent']).toBe(ENV_SECRET)
    expect(hidden.got.at(-1)?.headers).toMatchObject({ accept: 'application/json' })
    expect(JSON.stringify(hidden.got.at(-1)?.headers)).not.toContain(ENV_SECRET)
  })
})

describe('addresses that the policy does not name', () => {
  test('are not connected to, whoever points there', async () => {
    const before = hidden.got.length
    expect((await use('http_onward')).code).toBe(FAILED)
    expect(hidden.got.length).toBe(before)
    expect((await use('http_listed')).body.result.status).toBe(200)
    expect(hidden.got.length).toBe(before + 1)
  })
})

describe('a call that nobody waits for any more', () => {
  test('is cancelled at the provider and stays counted', async () => {
    const before = Number(textOf(await use('cancelled')))
    const { presented, grant } = await mint(hub, { ...pin, requested_tools: ['hang'] })
    const headers = { 'x-flow-external-bearer': presented.external_bearer }
    const bearer = hub.credentials.bearers.editor
    const client = await connectClient(`${hub.url}/mcp`, bearer, undefined, headers)
    const abort = new AbortController()
    const calling = client.callTool({ name: 'hang', arguments: {} }, { signal: abort.signal })
    calling.catch(() => {})
    while ((await countOf(grant.grant_id)) === 0) await pause(20)
    await pause(300)
    abort.abort()
    await expect(calling).rejects.toThrow()
    let seen = before
    for (let tries = 0; tries < 50 && seen === before; tries++) {
      await pause(50)
      seen = Number(textOf(await use('cancelled')))
    }
    expect(seen).toBe(before + 1)
    expect(await countOf(grant.grant_id)).toBe(1)
    await client.close()
  })
})

test('no child is left behind by a hub that stops, not even one that is at work', async () => {
  const other = await startGateHub('on', {
    policy: policyWith({
      allowed_tools: [
        { id: 'pid', provider: fakeProvider('pid') },
        { id: 'hang', provider: fakeProvider('hang') },
      ],
    }),
  })
  await storeFlows(other.hub, 'default', [toolFlow(pin.flow_id, ['pid', 'hang'])])
  const { presented } = await mint(other, { ...pin, requested_tools: ['pid', 'hang'] })
  const invoke = (tool_id: string) =>
    ask(other, 'flow_external_tool_invoke', { tool_id, ...pin }, { presented, way: 'direct' })
  const { pid } = textOf(await invoke('pid'))
  const hanging = invoke('hang')
  await pause(300)
  expect(isRunning(pid)).toBe(true)
  await other.close()
  expect(isRunning(pid)).toBe(false)
  expect([FAILED, 'STORAGE_UNAVAILABLE']).toContain((await hanging).code)
})
