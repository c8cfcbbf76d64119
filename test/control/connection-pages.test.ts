import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements/verifies.ts'
import { addConnection, everythingOf, type OwnedHub, startOwnedHub } from './connection-samples.ts'
import { oauth, visitorOf } from './owner-visitor.ts'

let hub: OwnedHub
beforeAll(async () => {
  hub = await startOwnedHub()
})
afterAll(() => hub.close())

verifies('OWNR-082', 'a new name is on the owner’s page, whoever gave it, and is shown as text', async () => {
  const connection_id = await addConnection(hub)
  await hub.ask('PATCH', `/v1/owner/connections/${connection_id}`, { display_name: 'By <b>agent</b>' })
  expect((await hub.owner.get('/owner/connections')).text).toContain('By &lt;b&gt;agent&lt;/b&gt;')
  const done = await hub.owner.post('/owner/connections/rename', {
    connection_id,
    display_name: 'By the owner',
  })
  expect(done.headers.location).toBe('/owner/connections?told=rename')
  expect((await hub.owner.get('/owner/connections')).text).toContain('<h2>By the owner</h2>')
  expect((await hub.ask('GET', `/v1/owner/connections/${connection_id}`)).body.display_name).toBe(
    'By the owner',
  )
})

test('what an agent calls a thing neither hides on the owner’s page nor turns its words around', async () => {
  const connection_id = await addConnection(hub)
  const display_name = 'Bank \u202etoday\u3164'
  await hub.ask('PATCH', `/v1/owner/connections/${connection_id}`, { display_name })
  const { text } = await hub.owner.get('/owner/connections')
  const part = text.split('<section>').find((one) => one.includes(connection_id)) ?? ''
  expect(part).toContain('<h2>Bank \\u{202e}today\\u{3164}</h2>')
  expect(part).toContain(` value="${display_name}"`)
  expect(part.replace(` value="${display_name}"`, '')).not.toMatch(/[\u202e\u3164]/)
  const fields = { client_id: 'test-agent', client_name: '\u3164\u115f' }
  const { body } = await oauth(hub, '/oauth/device_authorization', fields)
  const device = await hub.owner.get(`/device?user_code=${body.user_code as string}`)
  expect(device.text).toContain('<b>\\u{3164}\\u{115f}</b>')
})

test('a connection is revoked, taken up again and deleted on the page', async () => {
  const connection_id = await addConnection(hub)
  const act = async (what: string) => {
    await hub.owner.get('/owner/connections')
    return (await hub.owner.post(`/owner/connections/${what}`, { connection_id })).status
  }
  expect(await act('revoke')).toBe(303)
  expect(await act('revoke')).toBe(400)
  expect(await act('reactivate')).toBe(303)
  expect(await act('delete')).toBe(303)
  expect(await act('delete')).toBe(404)
  expect(Object.values(await everythingOf(hub, connection_id)).flat()).toEqual([])
  expect((await hub.owner.get('/owner/connections?told=delete')).text).toContain('is deleted')
})

test('the page has a connection collected now, and tells how the last run went', async () => {
  const connection_id = await addConnection(hub)
  const shown = async () => {
    const { text } = await hub.owner.get('/owner/connections')
    return text.split('<section>').find((part) => part.includes(connection_id)) ?? ''
  }
  expect(await shown()).toMatch(/<dt>Last run<\/dt><dd>succeeded · 3 records · /)
  const collect = () => hub.owner.post('/owner/connections/run', { connection_id })
  expect((await collect()).headers.location).toBe('/owner/connections?told=run')
  expect((await collect()).status).toBe(409)
  expect((await hub.owner.get('/owner/runs')).text).toContain('Cancel: ')
  expect(await shown()).not.toContain('succeeded')
  const revoked = await addConnection(hub, { status: 'revoked' })
  const { text } = await hub.owner.get('/owner/connections')
  expect(text.split('<section>').find((part) => part.includes(revoked))).not.toContain('Collect now')
})

test('the page is the owner’s alone, and a form of another page changes nothing', async () => {
  const connection_id = await addConnection(hub)
  const before = await everythingOf(hub, connection_id)
  const stranger = visitorOf(hub)
  expect((await stranger.get('/owner/connections')).text).not.toContain(connection_id)
  expect((await stranger.post('/owner/connections/delete', { connection_id })).status).toBeGreaterThanOrEqual(
    400,
  )
  await hub.owner.get('/owner/connections')
  const foreign = { origin: 'http://localhost:1' }
  expect((await hub.owner.post('/owner/connections/delete', { connection_id }, foreign)).status).toBe(401)
  const forged = { connection_id, form_token: '0'.repeat(64) }
  expect((await hub.owner.post('/owner/connections/delete', forged)).status).toBe(403)
  expect(await everythingOf(hub, connection_id)).toEqual(before)
})
