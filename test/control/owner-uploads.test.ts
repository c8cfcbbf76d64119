import { expect, test } from 'vitest'
import { recorded, startRestHub } from '../rest/rest-hub.fixture.ts'
import { ownerOrigin, setUpOwner, visitorOf } from './owner-visitor.ts'

test('forms with files in them are taken apart for the owner alone, whoever sends them', async () => {
  await using hub = await startRestHub()
  const visitor = visitorOf(hub)
  // No form at all: who took it apart would say so.
  const sent = { method: 'POST', path: '/owner/sign-in', body: 'no parts in here' }
  const type = { 'content-type': 'multipart/form-data; boundary=x' }
  for (const origin of ['https://evil.example', ownerOrigin(hub)]) {
    const headers = { ...type, origin }
    const { result, records } = await recorded(hub, () => visitor.ask({ ...sent, headers }))
    expect([origin, result.status]).toEqual([origin, 403])
    expect(records).toMatchObject([{ operation: 'owner_password_sign_in', outcome: 'denied' }])
  }
})

test('of the owner, too, no form is taken apart that takes long', async () => {
  await using hub = await startRestHub()
  const owner = await setUpOwner(hub)
  const part = 'content-disposition: form-data; name="password"'
  const forms: [string, string, number][] = [
    ['b', `--b\r\n${`${part}\r\n\r\nx\r\n--b\r\n`.repeat(66)}--b--\r\n`, 400],
    ['b', `--b\r\n${part}${'; x=1'.repeat(10_000)}\r\n\r\nx\r\n--b--\r\n`, 400],
    ['c; boundary=b', `--b\r\n${part}\r\n\r\nx\r\n--b--\r\n`, 400],
    ['b', `--b\r\n${part}\r\n\r\nx\r\n--b--\r\n`, 403],
  ]
  for (const [boundary, body, status] of forms) {
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}`, origin: ownerOrigin(hub) }
    const answer = await owner.ask({ method: 'POST', path: '/owner/sign-in', body, headers })
    expect([body.slice(0, 80), answer.status]).toEqual([body.slice(0, 80), status])
  }
})
