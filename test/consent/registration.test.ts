import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { type TestHub } from '../harness/test-hub.ts'
import { CALLBACK, forgetAttempts, leftBy, register, startSignInHub } from './sign-in.fixture.ts'

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

  test('comes to an end in a flood', async () => {
    const answers = []
    for (let at = 0; at < 25; at++) answers.push((await register(hub, good)).status)
    expect(answers.filter((status) => status === 429)).toHaveLength(5)
    const flooded = await register(hub, good)
    expect(Number(flooded.headers['retry-after'])).toBeGreaterThan(0)
  })
})
