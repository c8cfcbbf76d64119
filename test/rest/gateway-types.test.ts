import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestHub } from '../harness/test-hub.ts'
import { jwt } from './credentials.fixture.ts'
import { send, startRestHub } from './rest-hub.fixture.ts'

let hub: TestHub
beforeAll(async () => void (hub = await startRestHub()))
afterAll(() => hub.close())

/** Whom the hub sees behind a JWT: an id with a role, or nobody. */
async function seen(wanted: Parameters<typeof jwt>[0]): Promise<string> {
  const { status, text } = await send(hub.url, { path: '/api/v1/whoami', bearer: await jwt(wanted) })
  const { caller_id, role } = JSON.parse(text) as { caller_id?: string; role?: string }
  return status === 200 ? `${caller_id} ${role}` : String(status)
}

describe('what a gateway’s JWT says of itself', () => {
  const person = { sub: 'ann', role: 'admin', vault_ids: ['default'] }
  const agent = { ...person, scope: 'vault:read', aud: 'knowtation-hub-rest' }

  test.each(['JWT', 'jwt', 'at+jwt', 'application/at+jwt'])('counts with the type %s', async (typ) => {
    expect(await seen({ header: { typ }, claims: person })).toBe('ann admin')
  })

  test.each(['kt_agent_access', 'KT_AGENT_ACCESS', 'application/kt_agent_access'])(
    'makes an agent of it, whose rights are its scopes, by the header %s',
    async (typ) => {
      expect(await seen({ header: { typ }, claims: agent })).toBe('ann viewer')
    },
  )

  test.each(['dpop+jwt', 'logout+jwt', 'x', '', 5, null])(
    'of another type (%s) counts for nothing',
    async (typ) => {
      expect(await seen({ header: { typ: typ as string }, claims: person })).toBe('401')
      expect(await seen({ claims: { ...person, typ } })).toBe('401')
    },
  )

  test('names nobody whom the hub itself names', async () => {
    const { admin } = hub.credentials.token_ids
    for (const sub of [
      'hub',
      'local',
      'HUB',
      'owner',
      '-',
      admin,
      `oses_${'0'.repeat(16)}`,
      `oagt_${'0'.repeat(16)}`,
    ])
      expect([sub, await seen({ claims: { ...person, sub } })]).toEqual([sub, '401'])
    expect(await seen({ claims: { ...person, sub: 'hubert' } })).toBe('hubert admin')
  })
})
