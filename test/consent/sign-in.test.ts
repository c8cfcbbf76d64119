import { afterEach, expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { flowUsing, OPEN_POLICY } from '../browser/owner-browser.fixture.ts'
import type { Visitor } from '../control/owner-visitor.ts'
import { storeFlows, type TestHub } from '../harness/test-hub.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import {
  allow,
  ask,
  askToComeIn,
  connect,
  exchange,
  FLOW,
  GRANT,
  MEMBER,
  movedClock,
  newestConsent,
  read,
  startSignInHub,
  toolsOf,
} from './sign-in.fixture.ts'

let hub: TestHub
let owner: Visitor
afterEach(() => hub.close())

test('a program that is refused at /mcp finds the way in by itself', async () => {
  ;({ hub, owner } = await startSignInHub())
  const refused = await ask(hub, undefined, 'tools/list')
  expect(refused.status).toBe(401)
  const challenge = String(refused.headers['www-authenticate'])
  const metadata = /resource_metadata="([^"]+)"/.exec(challenge)?.[1]
  expect([metadata, challenge]).toEqual([
    `${hub.url}/.well-known/oauth-protected-resource/mcp`,
    expect.stringContaining('scope="mcp"'),
  ])
  const resource = read(await send(hub.url, { path: new URL(String(metadata)).pathname }))
  expect(resource).toMatchObject({ resource: `${hub.url}/mcp`, authorization_servers: [hub.url] })
  const server = read(await send(hub.url, { path: '/.well-known/oauth-authorization-server' }))
  expect(server).toMatchObject({
    issuer: hub.url,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    device_authorization_endpoint: `${hub.url}/oauth/device_authorization`,
  })
  // Nobody can sign in under a hosted name.
  const hosted = { host: 'api.knowtation.store' }
  for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server'])
    expect((await send(hub.url, { path, headers: hosted })).status).toBe(404)
})

test('the page tells what the policy bounds calls by', async () => {
  ;({ hub, owner } = await startSignInHub())
  const asked = await askToComeIn(hub)
  const bounds = { calls_per_minute: 7, max_payload_bytes: 2_000 }
  const allowed_tools = [{ id: 'web_search', ...bounds }, { id: 'calendar' }]
  hub.write(hub.home.vaultPolicy('default'), {
    external_agent: { enabled: true, max_result_bytes: 1, allowed_tools },
  })
  const { text } = await owner.get(`${asked.path}?flow=flow_connected`)
  expect(text).toContain('at most 7 calls a minute, 2000 bytes sent, by all together')
  expect(text).toContain('The policy bounds each grant: at most 1 byte answered.')
  expect(text.match(/at most 7/g)).toHaveLength(1)
})

test.each([
  ['none', [], false],
  ['one', ['web_search'], true],
])('a flow of whose tools the policy allows %s says so', async (_, ids, isOffered) => {
  ;({ hub, owner } = await startSignInHub())
  const asked = await askToComeIn(hub)
  const allowed_tools = ids.map((id) => ({ id }))
  hub.write(hub.home.vaultPolicy('default'), { external_agent: { enabled: true, allowed_tools } })
  const { text } = await owner.get(`${asked.path}?flow=flow_connected`)
  expect(text.includes('value="web_search"')).toBe(isOffered)
  expect(text.includes('declares no tool that the policy')).toBe(!isOffered)
})

test('a program that signs in sees what was ticked, and nothing else', async () => {
  ;({ hub, owner } = await startSignInHub())
  const asked = await askToComeIn(hub)
  expect([asked.answer.status, asked.path]).toEqual([303, expect.stringMatching(/^\/oauth\/consent\//)])
  const page = await owner.get(`${asked.path}?flow=flow_connected`)
  for (const told of ['A program', 'http://127.0.0.1:43111', 'web_search', 'Search the web', 'flow_list'])
    expect(page.text).toContain(told)
  const { location } = await allow(owner, asked.path)
  expect([location?.searchParams.get('iss'), location?.searchParams.get('state')]).toEqual([
    hub.url,
    'a state',
  ])
  const { access_token } = read(await exchange(hub, asked, location?.searchParams.get('code') ?? ''))
  expect(await toolsOf(hub, access_token)).toEqual(['flow_project', 'web_search'])
  const called = await ask(hub, access_token, 'tools/call', { name: 'web_search', arguments: {} })
  expect(called.result.isError).not.toBe(true)
  const project = await ask(hub, access_token, 'tools/call', { name: 'flow_project', arguments: {} })
  expect(JSON.stringify(project.result)).toContain('flow_connected')
  for (const name of ['calendar', 'flow_list', 'flow_external_grant_mint', 'whoami']) {
    const other = await ask(hub, access_token, 'tools/call', { name, arguments: {} })
    expect([name, other.result?.isError ?? true]).toEqual([name, true])
  }
  const other = { flow_id: 'flow_research_brief', harness: 'agent_bundle' }
  const elsewhere = await ask(hub, access_token, 'tools/call', { name: 'flow_project', arguments: other })
  expect(elsewhere.result.isError).toBe(true)
  const records = await hub.hub.db.all(
    sql<{ caller_kind: string; grant_id: string | null }>(
      `SELECT caller_kind, grant_id FROM audit_records WHERE operation = 'flow_external_tool_invoke' ORDER BY seq LIMIT 1`,
    ),
  )
  expect(records).toEqual([{ caller_kind: 'mcp_client', grant_id: expect.stringMatching(/^fgrnt_/) }])
})

test('a flow of another vault is chosen and allowed on the same page', async () => {
  ;({ hub, owner } = await startSignInHub())
  hub.write(hub.home.vaultPolicy('other'), OPEN_POLICY)
  await storeFlows(hub.hub, 'other', [FLOW])
  const asked = await askToComeIn(hub)
  const first = await owner.get(`${asked.path}?vault=other`)
  expect(first.text).toContain('name="vault" value="other"')
  const { text } = await owner.get(`${asked.path}?vault=other&flow=flow_connected`)
  const shown = /name="shown" value="([0-9a-f]{64})"/.exec(text)?.[1] ?? ''
  const allowed = await owner.post(`${asked.path}/allow`, { ...GRANT, shown, vault: 'other' })
  const code = new URL(String(allowed.headers.location)).searchParams.get('code') ?? ''
  const { access_token } = read(await exchange(hub, asked, code))
  expect(await toolsOf(hub, access_token)).toEqual(['flow_project', 'web_search'])
  expect(await newestConsent(hub)).toMatchObject({ vault_id: 'other' })
})

test('a grant in a header beside it counts for nothing: what the token stands for is all', async () => {
  ;({ hub, owner } = await startSignInHub())
  const { tokens } = await connect(hub, owner, { ...GRANT, 'tool.0': 'calendar' })
  const path = '/api/v1/flows/flow_connected/external-grants'
  const body = JSON.stringify({ flow_version: '1.0.0', requested_tools: ['web_search'] })
  const minted = await send(hub.url, { method: 'POST', path, body, bearer: hub.credentials.bearers.admin })
  const { bearer, grant } = read(minted)
  const headers = { 'x-flow-external-bearer': bearer, 'x-flow-grant-id': grant.grant_id }
  expect(await toolsOf(hub, tokens.access_token, headers)).toEqual(['flow_project', 'calendar'])
})

test('a member does at MCP what its role may, in its vault', async () => {
  ;({ hub, owner } = await startSignInHub())
  const { tokens } = await connect(hub, owner, MEMBER)
  const tools = await toolsOf(hub, tokens.access_token)
  expect(tools).toEqual(await toolsOf(hub, hub.credentials.bearers.viewer as string))
  expect(await toolsOf(hub, tokens.access_token, { 'x-vault-id': 'other' })).not.toBe(200)
  const who = await ask(hub, tokens.access_token, 'tools/call', { name: 'whoami', arguments: {} })
  expect(who.result.structuredContent).toMatchObject({
    caller_kind: 'mcp_client',
    role: 'viewer',
    vault_id: 'default',
  })
  // As the page says: what would change something is refused.
  const { flow } = FLOW
  const proposed = { ...flowUsing('flow_of_a_viewer', 'web_search'), intent: 'It helps.' }
  const pinned = { flow_id: flow.flow_id, flow_version: flow.version, requested_tools: ['web_search'] }
  for (const [name, args, code] of [
    ['flow_propose', proposed, 'FLOW_SCOPE_DENIED'],
    ['flow_external_grant_mint', pinned, 'FLOW_EXTERNAL_GRANT_DENIED'],
  ] as const) {
    const { result } = await ask(hub, tokens.access_token, 'tools/call', { name, arguments: args })
    expect([name, result.isError, JSON.stringify(result)]).toEqual([
      name,
      true,
      expect.stringContaining(code),
    ])
  }
})

test('under each of its names the hub answers as itself, and all are one audience', async () => {
  ;({ hub, owner } = await startSignInHub())
  const named = hub.url.replace('127.0.0.1', 'localhost')
  const asked = await askToComeIn(hub, { resource: `${named}/mcp` }, undefined, { host: new URL(named).host })
  const { location } = await allow(owner, asked.path, MEMBER)
  expect(location?.searchParams.get('iss')).toBe(named)
  const { access_token } = read(await exchange(hub, asked, location?.searchParams.get('code') ?? ''))
  expect(await toolsOf(hub, access_token)).toContain('flow_list')
  expect(await toolsOf(hub, access_token, { host: 'api.knowtation.store' })).toBe(401)
})

test('a request waits for ten minutes; then its page says how to go on', async () => {
  const clock = movedClock()
  ;({ hub, owner } = await startSignInHub({ clock }))
  const asked = await askToComeIn(hub)
  clock.forward(601)
  const page = await owner.get(asked.path)
  expect([page.status, page.text]).toEqual([410, expect.stringContaining('Start again in your program')])
  expect((await owner.post(`${asked.path}/allow`, GRANT)).status).toBe(410)
})

test('the owner sees who came in, and sends a program away', async () => {
  ;({ hub, owner } = await startSignInHub())
  const { tokens } = await connect(hub, owner)
  const list = async () => JSON.parse((await owner.get('/v1/owner/consents')).text).data
  const [{ consent_id, label }] = await list()
  expect(label).toBe('My program')
  const done = await owner.ask({ method: 'DELETE', path: `/v1/owner/consents/${consent_id}` })
  expect([done.status, await toolsOf(hub, tokens.access_token)]).toEqual([200, 401])
  expect((await list())[0]).toMatchObject({ end_reason: 'revoked' })
})
