import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { sql } from '../../src/platform/storage/database.ts'
import { asOwner, pin } from '../external-agent/approvals.fixture.ts'
import { type Json, mint, policyWith, startGateHub } from '../external-agent/gate-hub.ts'
import { toolFlow } from '../external-agent/tool-servers.ts'
import { DATABASES, storeFlows, type TestHub } from '../harness/test-hub.ts'

const service = createServer((request, response) => {
  response.statusCode = request.method === 'OPTIONS' ? 204 : 200
  response.setHeader('content-type', 'application/json')
  response.end(request.method === 'OPTIONS' ? undefined : '{"said":"yes"}')
})
let url: string
beforeAll(async () => {
  await new Promise<void>((ready) => service.listen(0, '127.0.0.1', ready))
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/`
})
afterAll(() => void service.close())

const schema = (more: object) => ({ type: 'object', ...more })

function policy(more: object = {}): object {
  return policyWith({
    providers: {
      web: { kind: 'http', url },
      silent: { kind: 'mcp', command: ['/no/such/program'] },
      open: {
        kind: 'http',
        url,
        headers: { authorization: 'Bearer abc', accept: '*/*', 'x-key': 'env:KEY' },
      },
    },
    allowed_tools: [
      {
        id: 'post',
        provider: { name: 'web' },
        input_schema: schema({ properties: { text: { type: 'string' } } }),
      },
      { id: 'plain', provider: { name: 'web' } },
      { id: 'first', provider: { name: 'silent', tool: 'x' }, input_schema: { type: 'string' } },
      { id: 'stray', description: 'no flow has it' },
      { id: 'boundless', provider: { name: 'web' }, input_schema: schema({ properties: { a: {} } }) },
    ],
    ...more,
  })
}

const TOOLS = ['post', 'plain', 'first', 'boundless']

describe.each(DATABASES)('policy check on %s', (database) => {
  let hub: TestHub
  beforeAll(async () => {
    hub = await startGateHub('on', { database, policy: policy() })
    await storeFlows(hub.hub, 'default', [toolFlow(pin.flow_id, TOOLS)])
  })
  afterAll(() => hub.close())
  const ask = (path: string, body: object = {}): Promise<Json> =>
    asOwner(hub, 'POST', `/v1/owner/${path}`, body)

  test('tells what can never match, what no flow declares, what is silent, boundless or written out, with its line', async () => {
    hub.write(hub.home.vaultPolicy('default'), stringify(policy()))
    const { body } = await ask('policy/check')
    const found = body.oddities.map(({ kind, at }: Json) => `${kind} ${at}`)
    expect(found.toSorted()).toEqual([
      'accepts_anything external_agent.allowed_tools.1',
      'accepts_anything external_agent.allowed_tools.4.input_schema',
      'never_matches external_agent.allowed_tools.2.input_schema',
      'provider_silent external_agent.providers.open',
      'provider_silent external_agent.providers.silent',
      'undeclared external_agent.allowed_tools.3',
      'unused_provider external_agent.providers.open',
      'written_secret external_agent.providers.open',
    ])
    expect(JSON.stringify(body)).not.toContain('abc')
    const lines = stringify(policy()).split('\n')
    for (const { line, at } of body.oddities) {
      const last = at.split('.').at(-1)
      const sought = /^\d+$/.test(last) ? 'id:' : `${last}:`
      expect([at, lines[line - 1]]).toEqual([at, expect.stringContaining(sought)])
    }
    expect([body.path, body.comparison, body.errors]).toEqual([hub.home.vaultPolicy('default'), null, []])
  })

  test('a replay under the policy of the calls says of each what happened; another one says what would', async () => {
    const grant = await mint(hub, { ...pin, requested_tools: TOOLS })
    const call = (tool: string, more: object = pin, bearer = grant.presented.external_bearer ?? '') =>
      fetch(`${hub.url}/api/v1/flows/external-tools/${tool}/invoke`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${hub.credentials.bearers.editor}`,
          'x-flow-external-bearer': bearer,
          'content-type': 'application/json',
        },
        body: JSON.stringify(more),
      })
    await call('post', { ...pin, payload: { text: 'a' } })
    await call('post', { ...pin, payload: { text: 7 } })
    await call('plain')
    await call('nope')
    await call('stray')
    await call('plain', { ...pin, flow_version: '9.9.9' })
    await call('plain', pin, 'fgrnt_bearer_nothing')
    await call('plain', { ...pin, payload: 'no object' })
    const forgotten = await mint(hub, { ...pin, requested_tools: TOOLS })
    await call('stray', pin, forgotten.presented.external_bearer)
    await call('plain', pin, forgotten.presented.external_bearer)
    const forget = sql('DELETE FROM flow_external_grants WHERE grant_id = ?')
    await hub.hub.db.transaction((tx) => tx.run(forget, forgotten.grant.grant_id))
    const text = stringify(policy())
    const same = (await ask('policy/check', { proposed: text, offline: true })).body.comparison
    expect([same.calls, same.grants, same.calls_looked_at]).toEqual([[], [], 10])
    expect(same.note).toContain('Arguments are not on record')
    const allowed_tools = [{ id: 'post', provider: { name: 'web' } }]
    const narrow = (await ask('policy/check', { proposed: stringify(policy({ allowed_tools })) })).body
      .comparison
    expect(
      narrow.calls.map(({ tool_id, now_code, then_code }: Json) => [tool_id, now_code, then_code]),
    ).toEqual([['plain', null, 'FLOW_EXTERNAL_TOOL_DENIED']])
    expect(narrow.grants.map(({ tool_id }: Json) => tool_id).toSorted()).toEqual([
      'boundless',
      'first',
      'plain',
    ])
    const shut = stringify(policy({ forbidden: true }))
    const closed = (await ask('policy/check', { proposed: shut, offline: true })).body.comparison
    expect(new Set(closed.calls.map(({ then_code }: Json) => then_code))).toEqual(
      new Set(['FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN']),
    )
    expect(closed.calls).toHaveLength(10)
    const broken = (await ask('policy/check', { proposed: 'external_agent: [' })).body
    expect([broken.errors[0].line, broken.comparison.calls.length > 0]).toEqual([1, true])
  })

  test('a tool is tried once, really, and it is on record; a provider is asked without any effect', async () => {
    const tried = (await ask('policy/tools/post/test', { payload: { text: 'hello' } })).body
    expect([tried.answered, tried.result.body]).toEqual([true, { said: 'yes' }])
    expect((await ask('policy/tools/post/test', { payload: { text: 7 } })).body.error.code).toBe(
      'invalid_request',
    )
    expect((await ask('policy/tools/stray/test')).body).toMatchObject({
      answered: false,
      reason: 'nothing_bound',
    })
    expect((await ask('policy/tools/first/test')).status).toBe(400)
    expect((await ask('providers/web/test')).body).toMatchObject({ answers: true, tools: null })
    expect((await ask('providers/silent/test')).body).toMatchObject({
      answers: false,
      reason: expect.any(String),
    })
    const added = await ask('providers', {
      name: 'other',
      kind: 'http',
      address: url,
      headers: { 'x-key': 'env:KEY' },
    })
    expect([added.status, added.body.changed]).toEqual([201, true])
    expect((await ask('providers', { name: 'other', address: url })).body.error.code).toBe('provider_listed')
    const { body } = await asOwner(hub, 'GET', '/v1/owner/providers')
    expect(body.data.at(-1)).toMatchObject({ name: 'other', credentials: [{ at: 'x-key', from: 'env:KEY' }] })
    const used = await asOwner(hub, 'DELETE', '/v1/owner/providers/web')
    expect([used.status, used.body.error.tools]).toEqual([409, ['post', 'plain', 'boundless']])
    expect((await asOwner(hub, 'DELETE', '/v1/owner/providers/other')).status).toBe(200)
  })
})
