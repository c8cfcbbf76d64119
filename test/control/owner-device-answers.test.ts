import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { askForAgent, oauth, setUpOwner, type Visitor } from './owner-visitor.ts'

let hub: TestHub
let owner: Visitor
beforeAll(async () => {
  // The clock stands still, so that every question after the first comes too soon.
  hub = await startTestHub({ clock: { now: new Date('2026-11-02T10:00:00Z') } })
  owner = await setUpOwner(hub)
})
afterAll(() => hub.close())

async function decide(decision: 'approve' | 'deny', user_code: string) {
  await owner.get(`/device?user_code=${user_code}`)
  const decided = await owner.post(`/device/${decision}`, { user_code })
  expect(decided.status).toBeLessThan(400)
}

describe('a program that asks for its bearer', () => {
  verifies('OWNR-036', 'is told what the owner decided, however soon it asks again', async () => {
    for (const [decision, told] of [
      ['approve', 'given'],
      ['deny', 'access_denied'],
    ] as const) {
      const { poll, user_code } = await askForAgent(hub)
      const before = [(await poll()).body.error, (await poll()).body.error]
      expect(before).toEqual(['authorization_pending', 'slow_down'])
      await decide(decision, user_code)
      const { body } = await poll()
      expect(body.error ?? (body.access_token ? 'given' : 'nothing')).toBe(told)
    }
  })

  test('may send what the hub does not know: OAuth has it passed over', async () => {
    const more = { resource: hub.url, audience: 'x' }
    const client_id = 'test-agent'
    const asked = await oauth(hub, '/oauth/device_authorization', { client_id, ...more })
    expect(asked.status).toBe(200)
    const { user_code, device_code } = asked.body as { user_code: string; device_code: string }
    await decide('approve', user_code)
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
    const issued = await oauth(hub, '/oauth/token', { grant_type, client_id, device_code, ...more })
    expect([issued.status, issued.body.pdpp_token_kind]).toEqual([200, 'owner'])
    const token = issued.body.access_token as string
    expect((await oauth(hub, '/oauth/introspect', { token, ...more }, token)).body.active).toBe(true)
    expect((await oauth(hub, '/oauth/revoke', { token, ...more })).status).toBe(200)
    expect((await send(hub.url, { path: '/v1/owner/control', bearer: token })).status).toBe(401)
  })
})
