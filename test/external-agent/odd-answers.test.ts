import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storeFlows, type TestHub } from '../harness/test-hub.ts'
import { ask, type Json, type Minted, mint, policyWith, startGateHub } from './gate-hub.ts'
import { connectThree } from './three-clients.fixture.ts'
import { fakeProvider, toolFlow } from './tool-servers.ts'

const SECRET = 'canary-env-9d41b7c3e8'
const FAILED = '{"error":"The tool did not answer as it should.","code":"FLOW_EXTERNAL_PROVIDER_FAILED"}'
const pin = { flow_id: 'flow_odd', flow_version: '1.0.0' }

let hub: TestHub
let held: Minted
let clients: Awaited<ReturnType<typeof connectThree>>

beforeAll(async () => {
  const tools = {
    shaped: { provider: fakeProvider('shaped', { env: ['FAKE_KEY'] }) },
    free: { input_schema: { properties: { any: true, none: false, word: { type: 'string' } } } },
  }
  const allowed_tools = Object.entries(tools).map(([id, tool]) => ({ id, ...tool }))
  const policy = policyWith({ allowed_tools, max_invocations: 1000 })
  hub = await startGateHub('on', { env: { FAKE_KEY: SECRET }, policy })
  await storeFlows(hub.hub, 'default', [toolFlow(pin.flow_id, Object.keys(tools))])
  held = await mint(hub, { ...pin, requested_tools: Object.keys(tools) })
  clients = await connectThree(hub, held)
})
afterAll(async () => {
  for (const client of Object.values(clients)) await client.close()
  await hub.close()
})

/** What each client and a caller over REST get when the tool answers so. */
async function answered(result: unknown): Promise<{ heard: Json[]; rest: Json }> {
  const payload = { as: result }
  const calls = Object.values(clients).map((client) =>
    client.callTool({ name: 'shaped', arguments: payload }),
  )
  const heard = (await Promise.all(calls)).map(({ _meta, ...answer }) => answer)
  const told = await ask(hub, 'flow_external_tool_invoke', { tool_id: 'shaped', ...pin, payload }, held)
  return { heard, rest: told.body.result ?? told.text }
}

const text = { type: 'text', text: 'done' }
const picture = { type: 'image', data: Buffer.from('plain').toString('base64'), mimeType: 'image/png' }

describe('an answer that MCP clients could not read', () => {
  test.each<[string, unknown]>([
    ['a number in place of a piece', { content: [5] }],
    ['nothing in place of a piece', { content: [text, null] }],
    ['a piece of an unknown kind', { content: [{ type: 'weird', text: 'x' }] }],
    ['a text that is none', { content: [{ type: 'text', text: 5 }] }],
    ['a picture that is no base64', { content: [{ ...picture, data: '***' }] }],
    ['a picture of no kind', { content: [{ type: 'image', data: picture.data }] }],
    ['a link without a name', { content: [{ type: 'resource_link', uri: 'file:///x' }] }],
    ['a resource with nothing in it', { content: [{ type: 'resource', resource: { uri: 'file:///x' } }] }],
    ['a weight beyond all', { content: [{ ...text, annotations: { priority: 7 } }] }],
    ['notes that are none', { content: [{ ...text, _meta: 5 }] }],
    ['an error that is neither', { content: [text], isError: 'yes' }],
    ['nothing at all', {}],
  ])('is the failure of its tool, not of the client: %s', async (_, result) => {
    const failed = { content: [{ type: 'text', text: FAILED }], isError: true }
    expect(await answered(result)).toEqual({ heard: [failed, failed, failed], rest: FAILED })
  })
})

describe('an answer of whatever kind the protocol has', () => {
  test.each<[string, object]>([
    ['a text with notes', { ...text, annotations: { audience: ['user'], priority: 1 }, _meta: { a: 1 } }],
    ['a picture', picture],
    ['a sound', { ...picture, type: 'audio', mimeType: 'audio/wav' }],
    ['a link', { type: 'resource_link', uri: 'file:///x', name: 'x', size: 5 }],
    ['a text of its own', { type: 'resource', resource: { uri: 'file:///x', text: 'hello' } }],
    ['a file', { type: 'resource', resource: { uri: 'file:///x', blob: picture.data } }],
  ])('comes through as it is: %s', async (_, piece) => {
    const answer = { content: [piece], structuredContent: { a: [1] } }
    expect(await answered(answer)).toEqual({ heard: [answer, answer, answer], rest: answer })
  })

  test('comes through with structure alone, as clients read it', async () => {
    const answer = { content: [], structuredContent: { a: 1 } }
    expect(await answered({ structuredContent: { a: 1 } })).toEqual({
      heard: [answer, answer, answer],
      rest: answer,
    })
  })

  test('comes through as text where its structure is no object, which older clients do not take', async () => {
    const shown = { content: [{ type: 'text', text: '[1,{"a":2}]' }] }
    expect(await answered({ structuredContent: [1, { a: 2 }] })).toEqual({
      heard: [shown, shown, shown],
      rest: shown,
    })
    const kept = { content: [text] }
    expect(await answered({ content: [text], structuredContent: 7 })).toEqual({
      heard: [kept, kept, kept],
      rest: kept,
    })
  })

  test('stays readable where a credential was taken out of a picture or a file', async () => {
    const data = Buffer.from(`some bytes and ${SECRET}`).toString('base64')
    const file = { type: 'resource', resource: { uri: 'file:///x', blob: data } }
    const answer = {
      content: [{ type: 'text', text: '[REDACTED]' }, text, { type: 'text', text: '[REDACTED]' }],
    }
    expect(await answered({ content: [{ ...picture, data }, text, file] })).toEqual({
      heard: [answer, answer, answer],
      rest: answer,
    })
  })
})

const useFree = (payload: object) =>
  ask(hub, 'flow_external_tool_invoke', { tool_id: 'free', ...pin, payload }, held)

test('a schema that says true or false of a property keeps no client from the list', async () => {
  for (const client of Object.values(clients)) {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['flow_project', 'free', 'shaped'])
    expect(tools[1]?.inputSchema).toEqual({
      type: 'object',
      properties: { any: {}, none: { not: {} }, word: { type: 'string' } },
    })
  }
  expect((await useFree({ any: 5 })).status).toBe(200)
  expect((await useFree({ none: 5 })).code).toBe('BAD_REQUEST')
})
