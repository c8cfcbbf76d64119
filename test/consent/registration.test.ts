import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { countOauthRecords, putOauthRecord } from '../../src/platform/identity/mcp/oauth-records.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { DATABASES, type TestHub } from '../harness/test-hub.ts'
import {
  CALLBACK,
  connect,
  forgetAttempts,
  leftBy,
  MEMBER,
  movedClock,
  read,
  refresh,
  register,
  startSignInHub,
} from './sign-in.fixture.ts'

const lastRecord = sql<{ operation: string; outcome: string; code: string | null }>(
  'SELECT operation, outcome, code FROM audit_records ORDER BY seq DESC LIMIT 1',
)

let hub: TestHub
beforeAll(async () => {
  ;({ hub } = await startSignInHub())
})
afterEach(() => forgetAttempts(hub))
afterAll(() => hub.close())

describe('a registration', () => {
  const good = { client_name: 'A', redirect_uris: [CALLBACK] }
  test.each<readonly [string, object, string]>([
    ['a name of 5,000 characters', { ...good, client_name: 'x'.repeat(5_000) }, 'invalid_client_metadata'],
    ['a name over two lines', { ...good, client_name: 'a\nb' }, 'invalid_client_metadata'],
    ['no address', { client_name: 'A', redirect_uris: [] }, 'invalid_redirect_uri'],
    ['eleven addresses', { ...good, redirect_uris: Array(11).fill(CALLBACK) }, 'invalid_redirect_uri'],
    ...[
      'http://evil.example/callback',
      'http://127.0.0.1.evil.example/callback',
      'http://localhost@evil.example/callback',
      'http://user:secret@127.0.0.1/callback',
      'https://@evil.example/',
      'http://127.0.0.1/callback#part',
      'http://127.0.0.1\\@evil.example/',
      'http://[::ffff:127.0.0.1]/callback',
      'http://[::]/callback',
      'http://localhost./callback',
      'http://127.0.0.1%2eevil.example/callback',
      'http:evil.example/callback',
      'HTTP://EVIL.EXAMPLE/callback',
      'https://[2001:db8::1]/callback',
      'https://ex\u0430mple.com/callback',
      'search-ms:query=x',
      'intent:x',
      'chrome://settings/',
      'view-source:http://127.0.0.1/',
      'javascript:alert(1)',
      'https://a;script-src/',
      'https://*/',
      'data:text/html,hello',
      'file:///etc/passwd',
      '/callback',
      `http://127.0.0.1/${'x'.repeat(3_000)}`,
    ].map((uri) => [uri.slice(0, 60), { ...good, redirect_uris: [uri] }, 'invalid_redirect_uri'] as const),
    [
      'a good address beside a foreign one',
      { ...good, redirect_uris: [CALLBACK, 'http://evil.example/'] },
      'invalid_redirect_uri',
    ],
    ['a list', [], 'invalid_client_metadata'],
  ])('with %s is refused, stored nowhere and on record', async (_name, body, error) => {
    let answer = { status: 0, text: '' }
    expect(await leftBy(hub, async () => (answer = await register(hub, body)))).toEqual([0, 0])
    expect([answer.status, JSON.parse(answer.text).error]).toEqual([400, error])
    expect(await hub.hub.db.get(lastRecord)).toMatchObject({
      operation: 'mcp_client_register',
      outcome: 'denied',
    })
  })

  test('keeps nothing that the sign-in does not need', async () => {
    const more = {
      logo_uri: 'http://169.254.169.254/',
      jwks_uri: 'http://127.0.0.1/',
      scope: 'owner',
      token_endpoint_auth_method: 'client_secret_post',
    }
    const answer = await register(hub, { ...good, ...more })
    const client = JSON.parse(answer.text)
    expect([answer.status, client.token_endpoint_auth_method, client.client_secret]).toEqual([
      201,
      'none',
      undefined,
    ])
    for (const name of ['logo_uri', 'jwks_uri', 'scope']) expect(client).not.toHaveProperty(name)
  })

  test.each([
    'http://[::1]:43111/callback',
    'http://localhost/callback',
    'https://client.example:8443/callback?a=b',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'com.example.app:/callback',
  ])('with %s is taken', async (uri) => {
    expect((await register(hub, { ...good, redirect_uris: [uri] })).status).toBe(201)
  })

  test('comes to an end in a flood', async () => {
    const answers = []
    for (let at = 0; at < 25; at++) answers.push((await register(hub, good)).status)
    expect(answers.filter((status) => status === 429)).toHaveLength(5)
    const flooded = await register(hub, good)
    expect(Number(flooded.headers['retry-after'])).toBeGreaterThan(0)
  })
})

describe.each(DATABASES)('a flood of registrations from many addresses, on %s', (database) => {
  test('shuts others out for ten minutes at most, and ends nothing that was allowed', async () => {
    const clock = movedClock()
    const flooded = await startSignInHub({ database, clock })
    await using _made = { [Symbol.asyncDispose]: () => flooded.hub.close() }
    const { db, system } = flooded.hub.hub
    const asks = { client_name: 'A', redirect_uris: [CALLBACK] }
    const { tokens, client_id } = await connect(flooded.hub, flooded.owner, MEMBER)
    const expires_at = new Date(system.now().getTime() + 86_400_000).toISOString()
    const record = { consent_id: null, payload_json: '{}', expires_at }
    await db.transaction(async (tx) => {
      for (let at = 0; at < 1_000; at++) await putOauthRecord(tx, 'Client', `kcli_${at}`, record)
    })
    const refused = await register(flooded.hub, asks)
    expect([refused.status, read(refused).error, refused.headers['retry-after']]).toEqual([
      429,
      'temporarily_unavailable',
      '600',
    ])
    clock.forward(601)
    const found = []
    for (let at = 0; at < 20; at++) found.push((await register(flooded.hub, asks)).status)
    expect(found).toEqual(Array(20).fill(201))
    expect(await countOauthRecords(db, 'Client', system.now())).toBeLessThanOrEqual(1_001)
    expect((await refresh(flooded.hub, client_id, tokens.refresh_token)).status).toBe(200)
  })
})
