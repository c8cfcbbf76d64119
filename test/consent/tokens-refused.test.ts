import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { type Visitor } from '../control/owner-visitor.ts'
import { type TestHub } from '../harness/test-hub.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import {
  allow,
  askToComeIn,
  connect,
  exchange,
  forgetAttempts,
  GRANT,
  MEMBER,
  post,
  refresh,
  startSignInHub,
  toolsOf,
} from './sign-in.fixture.ts'

let hub: TestHub
let owner: Visitor
beforeAll(async () => {
  ;({ hub, owner } = await startSignInHub())
})
afterEach(() => forgetAttempts(hub))
afterAll(() => hub.close())

async function codeOf(choice = GRANT) {
  const asked = await askToComeIn(hub)
  const { location } = await allow(owner, asked.path, choice)
  return { asked, code: location?.searchParams.get('code') ?? '' }
}
const errorOf = ({ text }: { text: string }) => JSON.parse(text).error

describe('a code', () => {
  test('that was stolen opens nothing without its verifier', async () => {
    const { asked, code } = await codeOf()
    for (const changes of [
      { code_verifier: 'x'.repeat(43) },
      { code_verifier: '' },
      { redirect_uri: 'http://127.0.0.1:1/callback' },
    ])
      expect(errorOf(await exchange(hub, asked, code, changes))).toMatch(/^invalid_(grant|request)$/)
    const other = await askToComeIn(hub)
    expect(errorOf(await exchange(hub, asked, code, { client_id: other.client_id }))).toBe('invalid_grant')
    expect(errorOf(await exchange(hub, asked, code, { resource: 'https://evil.example/mcp' }))).toBe(
      'invalid_target',
    )
    expect((await exchange(hub, asked, code)).status).toBe(200)
  })

  test('that comes again ends what it gave', async () => {
    const { asked, code } = await codeOf()
    const { access_token } = JSON.parse((await exchange(hub, asked, code)).text)
    expect(await toolsOf(hub, access_token)).toEqual(['flow_project', 'web_search'])
    expect(errorOf(await exchange(hub, asked, code))).toBe('invalid_grant')
    expect(await toolsOf(hub, access_token)).toBe(401)
  })
})

describe('a token', () => {
  test('is refused at every other door, and by its type', async () => {
    const { tokens, client_id } = await connect(hub, owner, { ...MEMBER, role: 'admin' })
    const at = async (method: string, path: string) => {
      const body = method === 'POST' ? '{}' : undefined
      const { status, text } = await send(hub.url, {
        method,
        path,
        bearer: tokens.access_token,
        ...(body && { body }),
      })
      const { code, error } = JSON.parse(text)
      return [status, code ?? error.code]
    }
    expect(await at('GET', '/api/v1/flows')).toEqual([403, 'AUDIENCE_DENIED'])
    expect(await at('GET', '/api/v1/whoami')).toEqual([403, 'AUDIENCE_DENIED'])
    expect(await at('POST', '/api/v1/tokens')).toEqual([403, 'AUDIENCE_DENIED'])
    expect(await at('GET', '/v1/owner/control')).toEqual([403, 'permission_error'])
    expect(await at('GET', '/v1/owner/consents')).toEqual([403, 'permission_error'])
    expect(await at('GET', '/_ref/runs')).toEqual([401, 'authentication_error'])
    // Neither is a refresh token a credential, nor an access token one to renew with.
    expect(await toolsOf(hub, tokens.refresh_token)).toBe(401)
    expect((await refresh(hub, client_id, tokens.access_token)).status).toBe(400)
    const introspected = await post(hub, '/oauth/introspect', { token: tokens.access_token })
    expect(introspected.status).toBe(401)
  })

  test('shows nowhere in the store, and neither does a code', async () => {
    const { tokens } = await connect(hub, owner)
    const rows = await hub.hub.db.all(sql<{ text: string }>('SELECT payload_json AS text FROM oauth_records'))
    const text = JSON.stringify(rows)
    for (const secret of [tokens.access_token, tokens.refresh_token]) expect(text).not.toContain(secret)
    expect(text).not.toMatch(/kmc[pcr]_/)
    expect(hub.logged.join('')).not.toMatch(/kmc[pcr]_[0-9a-f]{64}/)
  })
})
