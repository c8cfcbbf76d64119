import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allOperations } from '../../src/domains/index.ts'
import { vaultMember } from '../../src/operations/authority.ts'
import { buildRegistry } from '../../src/operations/registry.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { operationTools } from '../../src/surfaces/mcp/operation-tools.ts'
import { callerOf, type Who } from '../harness/callers.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { sampleOperation } from '../invariants/sample-operation.ts'

const ACCEPT = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
const CALL = '"jsonrpc":"2.0","id":1,"method":"tools/call"'
const lastRecord = sql<{ operation: string; surface: string; code: string | null; caller_kind: string }>(
  'SELECT operation, surface, code, caller_kind FROM audit_records ORDER BY seq DESC LIMIT 1',
)

let hub: TestHub
beforeAll(async () => {
  hub = await startTestHub()
})
afterAll(() => hub.close())

async function post(body: string, headers: Record<string, string> = {}, method = 'POST') {
  const sent = method === 'POST' ? { body } : {}
  const response = await fetch(`${hub.url}/mcp`, { method, headers: { ...ACCEPT, ...headers }, ...sent })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const asViewer = () => ({ authorization: `Bearer ${hub.credentials.bearers.viewer}` })

describe('who brings no valid credential is turned away before any JSON-RPC', () => {
  const UNAUTHENTICATED = '{"error":"Authentication is required.","code":"UNAUTHENTICATED"}'

  test.each([
    ['a sound call', `{${CALL},"params":{"name":"flow_list"}}`],
    ['an opening', '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}'],
    ['a repeated key', `{${CALL},${CALL}}`],
    ['no JSON', '{'],
  ])('%s', async (_name, body) => {
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: 'Basic eDp5' }]) {
      const answer = await post(body, headers)
      expect(answer).toMatchObject({ status: 401, text: UNAUTHENTICATED })
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
      expect(await hub.hub.db.get(lastRecord)).toEqual({
        operation: 'mcp_request',
        surface: 'mcp',
        code: 'UNAUTHENTICATED',
        caller_kind: 'anonymous',
      })
    }
  })

  test.each(['GET', 'DELETE'])('%s', async (method) => {
    expect(await post('', {}, method)).toMatchObject({ status: 401, text: UNAUTHENTICATED })
  })

  test('a page of another origin, though it has a credential', async () => {
    const answer = await post('{}', { ...asViewer(), origin: 'http://evil.example' })
    expect(answer).toMatchObject({ status: 403 })
    expect(JSON.parse(answer.text).code).toBe('ORIGIN_DENIED')
  })
})

describe('a body that two readers could take differently runs nothing, and is recorded as refused', () => {
  test.each([
    ['a repeated method', `{${CALL},"method":"ping"}`],
    ['a repeated name', `{${CALL},"params":{"name":"flow_list","name":"whoami"}}`],
    ['a repeated name, escaped', `{${CALL},"params":{"name":"flow_list","na\\u006de":"whoami"}}`],
    [
      'a repeated argument',
      `{${CALL},"params":{"name":"flow_get","arguments":{"flow_id":"a","flow_id":"b"}}}`,
    ],
    ['a method in capitals beside the method', `{${CALL},"METHOD":"ping"}`],
    ['params in another case', `{${CALL},"Params":{"name":"flow_list"}}`],
    ['a name in another case', `{${CALL},"params":{"Name":"flow_list"}}`],
    ['arguments in another case', `{${CALL},"params":{"name":"flow_list","Arguments":{}}}`],
    ['a batch', `[{${CALL},"params":{"name":"flow_list"}}]`],
  ])('%s', async (_name, body) => {
    const answer = await post(body, asViewer())
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.text)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } })
    expect(await hub.hub.db.get(lastRecord)).toMatchObject({
      operation: 'mcp_request',
      code: 'BAD_REQUEST',
    })
  })
})

describe('a tool that the caller may not use', () => {
  const writing = sampleOperation({
    name: 'sample_write',
    effect: 'create',
    authority: vaultMember('write'),
    input: z.strictObject({}),
    rest: 'POST /api/v1/samples',
    cli: 'sample write',
    handle: async () => ({ sample_id: 'made' }),
  })
  const secret = sampleOperation({
    name: 'sample_secret',
    mcp: false,
    rest: 'GET /api/v1/secrets/{sample_id}',
    cli: 'secret',
  })

  function as(who: Who) {
    const tools = operationTools(hub.hub, buildRegistry([...allOperations, writing, secret]))
    const from = { caller: callerOf(who, hub.credentials), vault: undefined, address: 'test' }
    return {
      list: async () =>
        (await tools.listTools(from)).map((tool) => tool.name).filter((name) => name.startsWith('sample')),
      call: (name: string, input: unknown) => tools.callTool(from, name, input, {}),
    }
  }

  test('is not listed and looks like one that does not exist, whatever it is given', async () => {
    expect(await as('viewer').list()).toEqual([])
    for (const input of [{}, { nonsense: 1 }, 'x']) {
      expect(await as('viewer').call('sample_write', input)).toBe('unknown_tool')
      expect(await as('viewer').call('sample_secret', input)).toBe('unknown_tool')
      expect(await as('viewer').call('no_such_tool', input)).toBe('unknown_tool')
    }
  })

  test('is told apart in the audit log', async () => {
    await as('viewer').call('sample_write', {})
    expect(await hub.hub.db.get(lastRecord)).toMatchObject({ operation: 'sample_write', code: 'FORBIDDEN' })
    await as('viewer').call('no_such_tool', {})
    expect(await hub.hub.db.get(lastRecord)).toMatchObject({ operation: 'mcp_request', code: 'NOT_FOUND' })
  })

  test('is there for those who may', async () => {
    expect(await as('editor').list()).toEqual(['sample_write'])
    expect(await as('editor').call('sample_write', {})).toMatchObject({
      ok: true,
      text: '{"sample_id":"made"}',
    })
    expect(await as('editor').call('sample_write', { nonsense: 1 })).toMatchObject({
      ok: false,
      code: 'BAD_REQUEST',
    })
  })
})
