import { expect, test } from 'vitest'
import { recorded, startRestHub } from '../rest/rest-hub.fixture.ts'
import { visitorOf } from './owner-visitor.ts'

test('forms with files in them are taken apart for the owner alone, whoever sends them', async () => {
  await using hub = await startRestHub()
  const visitor = visitorOf(hub)
  // No form at all: who took it apart would say so.
  const sent = { method: 'POST', path: '/owner/sign-in', body: 'no parts in here' }
  const type = { 'content-type': 'multipart/form-data; boundary=x' }
  for (const origin of ['https://evil.example', `http://localhost:${new URL(hub.url).port}`]) {
    const headers = { ...type, origin }
    const { result, records } = await recorded(hub, () => visitor.ask({ ...sent, headers }))
    expect([origin, result.status]).toEqual([origin, 403])
    expect(records).toMatchObject([{ operation: 'owner_password_sign_in', outcome: 'denied' }])
  }
})
