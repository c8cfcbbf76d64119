import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Visitor } from '../control/owner-visitor.ts'
import { from, NAME, PINNED, PUBLIC, publicConfig, signInOutside } from '../control/public-visitor.fixture.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { codeOf, send } from '../rest/rest-hub.fixture.ts'
import { allow, CALLBACK, MEMBER, startSignInHub } from './sign-in.fixture.ts'

const OUTSIDE = { host: NAME, ...from('198.51.100.9') }
let hub: TestHub
let owner: Visitor
beforeAll(async () => {
  ;({ hub } = await startSignInHub({ config: publicConfig(1_000_000) }))
  owner = (await signInOutside(hub)).visitor
})
afterAll(() => hub.close())

const form = (fields: Record<string, string>) => ({
  method: 'POST',
  headers: { ...OUTSIDE, 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
})

/** A program on the network that knows the address alone. */
async function comeIn(resource = `${PUBLIC}/mcp`) {
  const redirect_uri = CALLBACK
  const made = { client_name: 'A laptop', redirect_uris: [redirect_uri] }
  const registered = await send(hub.url, {
    method: 'POST',
    path: '/oauth/register',
    headers: OUTSIDE,
    body: JSON.stringify(made),
  })
  const { client_id } = JSON.parse(registered.text) as { client_id: string }
  const code_verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
  const asked = {
    response_type: 'code',
    client_id,
    redirect_uri,
    state: 's',
    code_challenge,
    code_challenge_method: 'S256',
    resource,
  }
  const answer = await send(hub.url, {
    path: `/oauth/authorize?${new URLSearchParams(asked)}`,
    headers: OUTSIDE,
  })
  return { client_id, code_verifier, redirect_uri, answer }
}

const listTools = (bearer: string | undefined, headers: Record<string, string>) =>
  send(hub.url, {
    method: 'POST',
    path: '/mcp',
    bearer,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    headers: {
      ...headers,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
  })

test('a program on the network signs in from the address alone', async () => {
  const refused = await listTools(undefined, OUTSIDE)
  const pointer = `resource_metadata="${PUBLIC}/.well-known/oauth-protected-resource/mcp"`
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([
    401,
    expect.stringContaining(pointer),
  ])
  const metadata = await send(hub.url, {
    path: '/.well-known/oauth-protected-resource/mcp',
    headers: OUTSIDE,
  })
  expect(JSON.parse(metadata.text)).toMatchObject({
    resource: `${PUBLIC}/mcp`,
    authorization_servers: [PUBLIC],
  })
  const { answer, ...asked } = await comeIn()
  const { location } = await allow(owner, String(answer.headers.location), MEMBER)
  expect(location?.searchParams.get('iss')).toBe(PUBLIC)
  const code = location?.searchParams.get('code') ?? ''
  const { client_id, code_verifier, redirect_uri } = asked
  const fields = {
    grant_type: 'authorization_code',
    client_id,
    code,
    code_verifier,
    redirect_uri,
    resource: `${PUBLIC}/mcp`,
  }
  const exchanged = await send(hub.url, { path: '/oauth/token', ...form(fields) })
  const { access_token } = JSON.parse(exchanged.text) as { access_token: string }
  expect((await listTools(access_token, OUTSIDE)).text).toContain('flow_list')
  // It opens MCP and nothing else, and nothing at all where it does not belong.
  for (const path of ['/v1/owner/control', '/v1/owner/sessions', '/api/v1/whoami'])
    expect([
      path,
      (await send(hub.url, { path, bearer: access_token, headers: OUTSIDE })).status,
    ]).not.toEqual([path, 200])
  expect((await listTools(access_token, { host: PINNED })).status).toBe(401)
  expect(codeOf(await listTools(access_token, { host: NAME }))).toBe('HOST_DENIED')
})

test('an audience that is not the address is refused', async () => {
  for (const resource of [
    'https://evil.example.test/mcp',
    'http://hub.example.test/mcp',
    `${PUBLIC}:8443/mcp`,
    `${PUBLIC}./mcp`,
    `${PUBLIC}/mcp/..%2f`,
    `${PUBLIC}/mcp/other`,
    `${PUBLIC}/MCP`,
    'https://user:secret@hub.example.test/mcp',
    'https://:secret@hub.example.test/mcp',
    'https://hub.example.test.evil.example/mcp',
    'http://127.0.0.1:4747/mcp',
  ]) {
    const { answer } = await comeIn(resource)
    expect([resource, answer.headers.location?.startsWith('/oauth/consent/') ?? false]).toEqual([
      resource,
      false,
    ])
  }
})

test('under a pinned name nobody signs in', async () => {
  const headers = { host: PINNED }
  const paths = [
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
    '/oauth/authorize',
  ]
  for (const path of paths)
    expect([path, (await send(hub.url, { path, headers })).status]).toEqual([path, 404])
  expect((await listTools(undefined, headers)).headers['www-authenticate']).toBe('Bearer realm="knowtation"')
})
