import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestHub } from '../harness/test-hub.ts'
import { recorded, startRestHub } from '../rest/rest-hub.fixture.ts'
import { ownerOrigin, setUpOwner, visitorOf } from './owner-visitor.ts'

describe('forms', () => {
  let hub: TestHub
  beforeAll(async () => void (hub = await startRestHub()))
  afterAll(() => hub.close())

  test('count only from a page of our own, and each refusal is recorded', async () => {
    const owner = await setUpOwner(hub)
    const { port } = new URL(hub.url)
    const strange: [string, Record<string, string>, Record<string, string>][] = [
      ['another site', {}, { origin: 'https://evil.example' }],
      ['no origin', {}, { origin: 'null' }],
      ['another port', {}, { origin: 'http://localhost:1' }],
      ['another name of this machine', {}, { origin: `http://127.0.0.1:${port}` }],
      ['a page of another site', {}, { 'sec-fetch-site': 'cross-site' }],
      ['a page of another port', {}, { 'sec-fetch-site': 'same-site' }],
      ['no token', { form_token: '' }, {}],
      ['a wrong token', { form_token: 'a'.repeat(64) }, {}],
    ]
    for (const [what, fields, headers] of strange) {
      const { result, records } = await recorded(hub, () =>
        owner.post('/owner/sign-out-everywhere', fields, headers),
      )
      expect([what, result.status >= 300 && result.headers.location !== '/console']).toEqual([what, true])
      expect([what, records[0]?.operation, records[0]?.outcome]).toEqual([
        what,
        'owner_sign_out_everywhere',
        'denied',
      ])
      expect((await owner.get('/v1/owner/sessions')).status).toBe(200)
    }
    // Over REST, where there is no form token, the same holds; a program of the owner's names no origin at all.
    const end = { method: 'DELETE', path: '/v1/owner/sessions' }
    const foreign = [...strange.map(([, , headers]) => headers), { 'sec-fetch-site': 'same-origin' }]
    for (const headers of foreign.filter((one) => Object.keys(one).length > 0)) {
      const { status } = await owner.ask({ ...end, headers })
      expect([headers, [401, 403].includes(status)]).toEqual([headers, true])
    }
    expect((await owner.ask(end)).status).toBe(200)
  })

  test('take each field once', async () => {
    const owner = visitorOf(hub)
    await owner.get('/owner/sign-in')
    const body = `form_token=${owner.form_token}&password=a&password=b`
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      origin: ownerOrigin(hub),
    }
    expect((await owner.ask({ method: 'POST', path: '/owner/sign-in', body, headers })).status).toBe(400)
  })

  test('are not offered under a hosted name, where no session counts', async () => {
    const owner = visitorOf(hub)
    for (const path of ['/owner', '/owner/sign-in', '/device', '/.well-known/oauth-authorization-server'])
      expect((await owner.ask({ path, headers: { host: 'api.knowtation.store' } })).status).toBe(404)
  })
})
