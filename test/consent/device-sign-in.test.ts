import { afterEach, describe, expect, test } from 'vitest'
import { askForAgent, type Visitor } from '../control/owner-visitor.ts'
import { type TestHub } from '../harness/test-hub.ts'
import {
  GRANT,
  movedClock,
  post,
  read,
  refresh,
  register,
  seenOn,
  startSignInHub,
  type Tokens,
  toolsOf,
} from './sign-in.fixture.ts'

let hub: TestHub
let owner: Visitor
afterEach(() => hub.close())

describe('a program without a browser', () => {
  const scope = 'mcp'
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'

  async function askByCode() {
    const client = { client_name: 'Terminal', grant_types: [grant_type, 'refresh_token'] }
    const { client_id } = read(await register(hub, client))
    const codes = read(await post(hub, '/oauth/device_authorization', { client_id, scope }))
    const poll = () => post(hub, '/oauth/token', { grant_type, client_id, device_code: codes.device_code })
    return { client_id, codes, poll }
  }

  test('comes in by a code, with what the owner ticked, and renews it', async () => {
    const clock = movedClock()
    ;({ hub, owner } = await startSignInHub({ clock }))
    const { client_id, codes, poll } = await askByCode()
    expect(read(await poll()).error).toBe('authorization_pending')
    const { user_code } = codes
    const led = await owner.get(`/device?user_code=${user_code}`)
    const path = String(led.headers.location)
    const page = await owner.get(path)
    expect([led.status, page.status, page.text]).toEqual([303, 200, expect.stringContaining(user_code)])
    const allowed = await owner.post(`${path.replace(/\?.*/, '')}/allow`, {
      ...GRANT,
      ...(await seenOn(owner, path)),
      user_code,
    })
    expect([allowed.status, allowed.text]).toEqual([200, expect.stringContaining('Allowed')])
    clock.forward(6)
    const tokens: Tokens = read(await poll())
    expect(await toolsOf(hub, tokens.access_token)).toEqual(['flow_project', 'web_search'])
    clock.forward(6)
    expect(read(await poll()).error).toBe('invalid_grant')
    const next: Tokens = read(await refresh(hub, client_id, tokens.refresh_token))
    expect(await toolsOf(hub, next.access_token)).toEqual(['flow_project', 'web_search'])
  })

  test('is never made an owner agent, and an owner agent never a client of MCP', async () => {
    ;({ hub, owner } = await startSignInHub())
    const { codes, poll } = await askByCode()
    await owner.get('/device')
    const wrong = await owner.post('/device/approve', { user_code: codes.user_code })
    expect(wrong.status).toBe(404)
    expect(read(await poll()).error).not.toBe(undefined)
    const agent = await askForAgent(hub)
    await owner.get('/device')
    const path = '/oauth/consent/device-with-a-code/allow'
    expect((await owner.post(path, { ...GRANT, user_code: agent.user_code })).status).toBe(410)
  })

  test('that nobody knows is told to register', async () => {
    ;({ hub, owner } = await startSignInHub())
    const answer = await post(hub, '/oauth/device_authorization', { client_id: 'somebody', scope })
    expect([answer.status, read(answer).error]).toEqual([401, 'invalid_client'])
  })
})
