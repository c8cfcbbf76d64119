import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { OPEN_POLICY } from '../browser/owner-browser.fixture.ts'
import { type Visitor, visitorOf } from '../control/owner-visitor.ts'
import { type TestHub } from '../harness/test-hub.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import {
  allow,
  askToComeIn,
  forgetAttempts,
  GRANT,
  leftBy,
  MEMBER,
  seenOn,
  startSignInHub,
} from './sign-in.fixture.ts'

const SEARCH = { id: 'web_search', description: 'Search the web' }

let hub: TestHub
let owner: Visitor
beforeAll(async () => {
  ;({ hub, owner } = await startSignInHub())
})
afterEach(() => forgetAttempts(hub))
afterAll(() => hub.close())

describe('a request', () => {
  test.each([
    ['of nobody', { client_id: 'kcli_none' }],
    ['for a foreign address', { redirect_uri: 'http://127.0.0.1:43111/other' }],
    ['for a look-alike', { redirect_uri: 'http://127.0.0.1:43111/callback/../x' }],
    ['for tokens in the address', { response_type: 'token' }],
    ['for another host', { redirect_uri: 'https://evil.example/callback' }],
  ])('%s leads nowhere, to a page that says what to do', async (_name, changes) => {
    const { answer } = await askToComeIn(hub, changes)
    expect([answer.status, answer.headers.location]).toEqual([expect.toBeOneOf([400, 401]), undefined])
    expect(answer.text).toContain('Start again in your program')
  })

  test.each([
    [
      'without a challenge',
      { code_challenge: undefined, code_challenge_method: undefined },
      'invalid_request',
    ],
    ['with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
  ])('%s is told to the program', async (_name, changes, error) => {
    const { answer } = await askToComeIn(hub, changes)
    const { searchParams } = new URL(String(answer.headers.location))
    expect([answer.status, searchParams.get('error'), searchParams.get('iss')]).toEqual([303, error, hub.url])
  })

  test.each(['https://evil.example/mcp', 'http://127.0.0.1:1/mcp', 'urn:other'])(
    'for another audience, %s, is refused',
    async (resource) => {
      const { answer } = await askToComeIn(hub, { resource })
      expect([answer.status, answer.headers.location]).toEqual([400, undefined])
    },
  )

  test('under a forged Host gets no further, and no answer names that host', async () => {
    for (const path of [
      '/oauth/authorize',
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-protected-resource/mcp',
    ]) {
      const { status, text } = await send(hub.url, { path, headers: { host: 'evil.example' } })
      expect([path, status, text.includes('evil.example')]).toEqual([path, 403, false])
    }
    const shown = await send(hub.url, {
      path: '/.well-known/oauth-authorization-server',
      headers: { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
    })
    expect(JSON.parse(shown.text)).toMatchObject({
      issuer: hub.url,
      authorization_endpoint: `${hub.url}/oauth/authorize`,
    })
  })
})

describe('a consent', () => {
  test('posted from elsewhere, without the page, or by nobody is none', async () => {
    const { path } = await askToComeIn(hub)
    const grant = { ...GRANT, ...(await seenOn(owner, path)) }
    const left = await leftBy(hub, async () => {
      const foreign = await owner.post(`${path}/allow`, grant, { origin: 'http://evil.example' })
      expect(foreign.status).toBe(403)
      const crossed = await owner.post(`${path}/allow`, grant, { 'sec-fetch-site': 'cross-site' })
      expect([401, 403]).toContain(crossed.status)
      const formless = await owner.post(`${path}/allow`, { ...grant, form_token: '0'.repeat(64) })
      expect(formless.status).toBe(403)
      const stranger = visitorOf(hub)
      await stranger.get(path)
      expect((await stranger.post(`${path}/allow`, grant)).status).toBe(401)
    })
    expect(left).toEqual([0, 0])
  })

  test('is decided once, though two pages decide at the same time', async () => {
    const { path } = await askToComeIn(hub)
    const seen = await seenOn(owner, path)
    const answers = await Promise.all([
      owner.post(`${path}/allow`, { ...GRANT, ...seen }),
      owner.post(`${path}/allow`, MEMBER),
      owner.post(`${path}/deny`, {}),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 410, 410])
    const late = await owner.get(path)
    expect([late.status, late.text]).toEqual([410, expect.stringContaining('Start again in your program')])
  })

  test('that is denied is told to the program, which is given nothing', async () => {
    const { path } = await askToComeIn(hub)
    await owner.get(path)
    let location = ''
    const left = await leftBy(hub, async () => {
      location = String((await owner.post(`${path}/deny`, {})).headers.location)
    })
    expect(new URL(location).searchParams.get('error')).toBe('access_denied')
    expect(left).toEqual([-1, 0])
  })

  test.each([
    ['a tool that is not offered', { 'tool.1': 'slack_notify' }, 409],
    ['a version that is not the newest', { flow_version: '0.0.1' }, 409],
    ['an empty tool', { 'tool.0': '' }, 409],
    ['a lifetime of a year', { ttl_seconds: '31536000' }, 400],
    ['a year of renewals', { standing_seconds: '31536000' }, 400],
    ['no name', { label: ' ' }, 400],
  ])('with %s is refused on the page', async (_name, changes, status) => {
    const { path } = await askToComeIn(hub)
    const left = await leftBy(hub, async () => {
      const { answer } = await allow(owner, path, { ...GRANT, ...changes })
      expect(answer.status).toBe(status)
    })
    expect(left).toEqual([0, 0])
  })

  test.each([
    ['no tool', {}, 'Tick at least one tool'],
    ['no name', { 'tool.0': 'web_search', label: ' ' }, 'Give the program a name'],
    ['half a use', { 'tool.0': 'web_search', max_invocations: '1.5' }, 'are whole numbers'],
    ['a bound of nothing', { 'tool.0': 'web_search', max_result_bytes: '0' }, 'are whole numbers'],
  ])(
    'with %s is refused in words for a person, and its page can be loaded anew',
    async (_name, changes, told) => {
      const { path } = await askToComeIn(hub)
      const { 'tool.0': _, ...rest } = GRANT
      const { answer } = await allow(owner, path, { ...rest, ...(changes as Record<string, string>) })
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(told)])
      const again = await owner.get(`${path}/allow`)
      expect([again.status, again.headers.location]).toEqual([303, path])
    },
  )

  test.each<readonly [string, object]>([
    ['says otherwise', { id: 'web_search', description: 'Send a letter' }],
    [
      'is done by another',
      { ...SEARCH, provider: { kind: 'http', method: 'POST', url: 'https://other.example/' } },
    ],
    ['may be used more often', { ...SEARCH, calls_per_minute: 1_000 }],
  ])('for a tool that %s since the page was shown is refused, and shown anew', async (_name, changed) => {
    const { path } = await askToComeIn(hub)
    const seen = await seenOn(owner, path)
    const external_agent = { ...OPEN_POLICY.external_agent, allowed_tools: [changed, 'calendar'] }
    hub.write(hub.home.vaultPolicy('default'), { ...OPEN_POLICY, external_agent })
    try {
      let text = ''
      const left = await leftBy(hub, async () => {
        const answer = await owner.post(`${path}/allow`, { ...GRANT, ...seen })
        ;({ text } = answer)
        expect(answer.status).toBe(409)
      })
      expect(left).toEqual([0, 0])
      expect(text).toContain('has changed meanwhile')
      // Who looks again sees what counts now, and may allow it.
      const again = /name="shown" value="([0-9a-f]{64})"/.exec(text)?.[1]
      expect(again).not.toBe(seen.shown)
      const { answer } = await allow(owner, path)
      expect(answer.status).toBe(303)
    } finally {
      hub.write(hub.home.vaultPolicy('default'), OPEN_POLICY)
    }
  })

  test('page runs no script and leads only where this request goes', async () => {
    const { path } = await askToComeIn(hub)
    const { headers, text } = await owner.get(path)
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("form-action 'self' http://127.0.0.1:43111")
    expect([policy.includes('script-src'), text.includes('<script')]).toEqual([false, false])
  })
})
