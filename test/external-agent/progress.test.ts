import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectClient } from '../harness/call-mcp.ts'
import { storeFlows, type TestHub } from '../harness/test-hub.ts'
import { pin as use } from './approvals.fixture.ts'
import { type Minted, mint, policyWith, startGateHub } from './gate-hub.ts'
import { fakeProvider, STDIO_ECHO, toolFlow } from './tool-servers.ts'

const LONG = { ...STDIO_ECHO, tool: 'trigger-long-running-operation' }
const TOOLS = [
  { id: 'long', provider: LONG },
  { id: 'hang', provider: fakeProvider('hang') },
  { id: 'cancelled', provider: fakeProvider('cancelled') },
]

let hub: TestHub
let grant: Minted
beforeAll(async () => {
  hub = await startGateHub('on', { policy: policyWith({ allowed_tools: TOOLS }) })
  const ids = TOOLS.map(({ id }) => id)
  await storeFlows(hub.hub, 'default', [toolFlow(use.flow_id, ids)])
  grant = await mint(hub, { ...use, requested_tools: ids })
})
afterAll(() => hub.close())

const connect = () =>
  connectClient(`${hub.url}/mcp`, hub.credentials.bearers.editor, undefined, {
    'x-flow-external-bearer': grant.presented.external_bearer,
  })

test('what a tool says of its progress reaches the client that asks for it', async () => {
  const client = await connect()
  const told: { progress: number; total?: number | undefined }[] = []
  const params = { name: 'long', arguments: { duration: 1, steps: 4 } }
  const answer = await client.callTool(params, { onprogress: (note) => void told.push(note) })
  expect(answer.isError).toBeFalsy()
  expect(told.length).toBeGreaterThan(1)
  expect(told.map(({ total }) => total)).toEqual(told.map(() => 4))
  const steps = told.map(({ progress }) => progress)
  expect(steps).toEqual([...new Set(steps)].toSorted((a, b) => a - b))
  await client.close()
})

test('what a client cancels is cancelled at the server', async () => {
  const client = await connect()
  const count = async () => {
    const { content } = await client.callTool({ name: 'cancelled', arguments: {} })
    return Number((content[0] as { text: string }).text)
  }
  const before = await count()
  const stop = new AbortController()
  const call = client.callTool({ name: 'hang', arguments: {} }, { signal: stop.signal })
  call.catch(() => {})
  // Stdio is one after the other: once this is answered, the call before it has been handed over.
  await count()
  stop.abort()
  await expect(call).rejects.toThrow()
  await expect.poll(count, { timeout: 30_000 }).toBe(before + 1)
  await client.close()
})
