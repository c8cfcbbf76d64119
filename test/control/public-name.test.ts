import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { head, sendRaw } from '../rest/raw-http.fixture.ts'
import { codeOf, send } from '../rest/rest-hub.fixture.ts'
import { makeAgent, makeLink, PASSWORD, signIn, type Visitor } from './owner-visitor.ts'
import { from, NAME, outside, PINNED, PUBLIC, publicConfig } from './public-visitor.fixture.ts'

const CONFIG = publicConfig(1_000_000)

let hub: TestHub

/** The owner's sessions, asked for with this cookie. */
function ask(cookie: string, more: Record<string, string> = {}) {
  const headers = { host: NAME, ...from('192.0.2.7'), cookie, ...more }
  return send(hub.url, { path: '/v1/owner/sessions', headers })
}

describe('the public name', () => {
  let owner: Visitor
  beforeAll(async () => {
    hub = await startTestHub({ config: CONFIG })
    const browser = outside(hub)
    const { path, link } = await makeLink(hub)
    await browser.get(path)
    const fields = { link, password: PASSWORD, password_again: PASSWORD }
    expect((await browser.post('/owner/set-up', fields)).status).toBe(303)
    await browser.get('/owner/form-token')
    owner = browser
  })
  afterAll(() => hub.close())

  test('is where links of the owner lead, and its cookies are for TLS and this host alone', async () => {
    const visitor = outside(hub)
    const { path } = await makeLink(hub)
    const page = await visitor.get(path)
    const done = await visitor.post('/owner/sign-in', { password: PASSWORD })
    const set = [page, done].flatMap(({ headers }) => headers['set-cookie'] ?? [])
    expect(set).toHaveLength(2)
    for (const line of set)
      expect(line).toMatch(
        /^__Host-knowtation_(visit|owner)_443=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Secure/,
      )
    expect(page.headers['strict-transport-security']).toBe('max-age=31536000')
    expect((await visitor.get('/v1/owner/sessions')).status).toBe(200)
  })

  test('takes its session from no cookie that another host or plain HTTP could have set', async () => {
    const value = [...owner.cookies].find(([name]) => name.includes('owner'))?.[1]
    expect((await ask(`__Host-knowtation_owner_443=${value}`)).status).toBe(200)
    for (const name of [
      'knowtation_owner_443',
      'knowtation_owner_80',
      '__host-knowtation_owner_443',
      '__Secure-knowtation_owner_443',
    ])
      expect([name, (await ask(`${name}=${value}`)).status]).toEqual([name, 401])
    const twice = `__Host-knowtation_owner_443=${value}; __Host-knowtation_owner_443=x`
    expect((await ask(twice)).status).toBe(401)
    for (const site of ['cross-site', 'same-site'])
      expect((await ask(`__Host-knowtation_owner_443=${value}`, { 'sec-fetch-site': site })).status).toBe(401)
    // A page of the same name without TLS, and one of another port.
    for (const origin of ['http://hub.example.test', 'https://hub.example.test:8443'])
      expect(codeOf(await ask(`__Host-knowtation_owner_443=${value}`, { origin }))).toBe('permission_error')
  })

  test('each credential counts where it belongs', async () => {
    const { bearers } = hub.credentials
    const agent = await makeAgent(hub, (await signIn(hub)).visitor)
    const seat = `ktool_${'0'.repeat(16)}_${'0'.repeat(64)}`
    const places = {
      loopback: { host: '127.0.0.1' },
      public: { host: NAME, ...from('198.51.100.1') },
      pinned: { host: PINNED },
    }
    const credentials = { ...bearers, agent: agent.bearer, seat } as Record<string, string | undefined>
    const seen: Record<string, string> = {}
    for (const who of ['hub', 'viewer', 'admin', 'gateway', 'agent', 'seat', 'anonymous'])
      for (const [place, headers] of Object.entries(places)) {
        const status = async (path: string) =>
          (await send(hub.url, { path, headers, bearer: credentials[who] })).status
        const told = []
        for (const path of [
          '/api/v1/whoami',
          '/v1/owner/control',
          '/v1/owner/sessions',
          '/mcp',
          '/metrics',
          '/owner/sign-in',
          '/owner',
        ])
          told.push(await status(path))
        seen[`${who} ${place}`] = told.join(' ')
      }
    expect(seen).toEqual({
      'hub loopback': '200 403 403 405 200 200 303',
      'hub public': '401 401 401 401 404 200 303',
      'hub pinned': '401 401 401 401 404 404 404',
      'viewer loopback': '200 403 403 405 200 200 303',
      'viewer public': '401 401 401 401 404 200 303',
      'viewer pinned': '401 401 401 401 404 404 404',
      'admin loopback': '200 403 403 405 200 200 303',
      'admin public': '401 401 401 401 404 200 303',
      'admin pinned': '401 401 401 401 404 404 404',
      'gateway loopback': '200 403 403 405 200 200 303',
      'gateway public': '401 401 401 401 404 200 303',
      'gateway pinned': '200 403 403 405 404 404 404',
      'agent loopback': '403 200 403 403 200 200 303',
      'agent public': '403 200 403 403 404 200 303',
      'agent pinned': '401 401 401 401 404 404 404',
      'seat loopback': '401 401 401 401 200 200 303',
      'seat public': '401 401 401 401 404 200 303',
      'seat pinned': '401 401 401 401 404 404 404',
      'anonymous loopback': '401 401 401 401 200 200 303',
      'anonymous public': '401 401 401 401 404 200 303',
      'anonymous pinned': '401 401 401 401 404 404 404',
    })
  })

  test('takes no request in which a header that says who asks stands twice', async () => {
    const once = [`Host: ${NAME}`, 'X-Forwarded-Proto: https', 'X-Forwarded-For: 192.0.2.7']
    const twice = ['Host: localhost', `host: ${NAME}`, 'X-Forwarded-Proto: http', 'x-forwarded-proto: https']
    const askRaw = (...lines: string[]) =>
      sendRaw(hub.url, head('GET /owner/sign-in HTTP/1.1', ...once, ...lines, 'Connection: close'))
    expect((await askRaw()).status).toBe(200)
    for (const line of twice) expect([line, (await askRaw(line)).status]).toEqual([line, 400])
    // What stands further left in the list is what a client has made up.
    expect((await askRaw('X-Forwarded-For: 192.0.2.8')).status).toBe(200)
  })

  test('is closed without TLS, and to whoever is no proxy of the owner', async () => {
    for (const headers of [
      { host: NAME },
      { host: NAME, 'x-forwarded-proto': 'http' },
      { host: `${NAME}.`, ...from('192.0.2.7') },
    ])
      for (const path of ['/', '/owner/sign-in', '/mcp', '/healthz'])
        expect([headers, path, codeOf(await send(hub.url, { path, headers }))]).toEqual([
          headers,
          path,
          'HOST_DENIED',
        ])
    const elsewhere = await send(hub.url, {
      path: '/owner/sign-in',
      headers: { host: NAME, ...from('192.0.2.7') },
      from: '127.0.0.2',
    })
    expect(codeOf(elsewhere)).toBe('HOST_DENIED')
  })

  test('tells programs its own addresses, and lets an agent in that the owner approves there', async () => {
    const headers = { host: NAME, ...from('203.0.113.5') }
    const front = JSON.parse((await send(hub.url, { path: '/', headers })).text)
    expect(Object.keys(front.links).toSorted()).toEqual(['flows', 'health', 'mcp', 'openapi', 'owner'])
    expect(front.pdpp_owner_agent_onboarding.owner_approval_url).toBe(`${PUBLIC}/device`)
    const server = JSON.parse(
      (await send(hub.url, { path: '/.well-known/oauth-authorization-server', headers })).text,
    )
    expect(server).toMatchObject({ issuer: PUBLIC, token_endpoint: `${PUBLIC}/oauth/token` })
    const post = async (path: string, fields: Record<string, string>) => {
      const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
      return JSON.parse(
        (
          await send(hub.url, {
            method: 'POST',
            path,
            headers: form,
            body: new URLSearchParams(fields).toString(),
          })
        ).text,
      )
    }
    const codes = await post('/oauth/device_authorization', { client_id: 'phone' })
    expect(codes.verification_uri).toBe(`${PUBLIC}/device`)
    await owner.get(`/device?user_code=${codes.user_code}`)
    expect((await owner.post('/device/approve', { user_code: codes.user_code })).status).toBe(200)
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
    const { access_token } = await post('/oauth/token', {
      grant_type,
      client_id: 'phone',
      device_code: codes.device_code,
    })
    const asked = await send(hub.url, { path: '/v1/owner/control', headers, bearer: access_token })
    expect(JSON.parse(asked.text).entrypoint).toBe(`${PUBLIC}/v1/owner/control`)
    const refused = await send(hub.url, {
      method: 'POST',
      path: '/mcp',
      headers,
      bearer: access_token,
      body: '{}',
    })
    expect([refused.status, codeOf(refused)]).toEqual([403, 'permission_error'])
  })
})
