import { describe, expect, test } from 'vitest'
import { startHub } from '../../src/surfaces/http/start-hub.ts'
import { startTestHub } from '../harness/test-hub.ts'
import { auditRecords, send, startFault } from '../rest/rest-hub.fixture.ts'
import { authenticatorAt } from './authenticator.ts'
import { oauth, PASSWORD, setUpOwner, signIn, type Visitor, visitorOf } from './owner-visitor.ts'
import { from, NAME, outside, PUBLIC, publicConfig, signInOutside } from './public-visitor.fixture.ts'

const CONFIG = publicConfig(30)

describe('tries under the public name', () => {
  test('are few for each address, keep nobody else out, and a made-up address in front changes nothing', async () => {
    await using hub = await startTestHub({ config: CONFIG })
    await setUpOwner(hub)
    const statuses = []
    for (let at = 0; at < 7; at++)
      statuses.push((await signInOutside(hub, `203.0.113.${at}, 192.0.2.66`, 'wrong')).done.status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
    expect((await signInOutside(hub, '192.0.2.66')).done.status).toBe(429)
    expect((await signInOutside(hub, '192.0.2.7')).done.status).toBe(303)
    expect((await signIn(hub)).done.status).toBe(303)
    const device = async (client: string) => {
      const headers = { host: NAME, ...from(client), 'content-type': 'application/x-www-form-urlencoded' }
      return (
        await send(hub.url, {
          method: 'POST',
          path: '/oauth/device_authorization',
          headers,
          body: 'client_id=a',
        })
      ).status
    }
    const asked = []
    for (let at = 0; at < 6; at++) asked.push(await device('192.0.2.66'))
    expect(asked).toEqual([200, 200, 200, 200, 200, 429])
    expect(await device('192.0.2.7')).toBe(200)
  })

  test('with wrong credentials are a third of those of others', async () => {
    await using hub = await startTestHub({ config: CONFIG })
    const ask = async (path: string, client: string) =>
      (await send(hub.url, { path, headers: { host: NAME, ...from(client) }, bearer: 'wrong' })).status
    const statuses = []
    for (let at = 0; at < 12; at++)
      statuses.push(await ask(at % 2 === 0 ? '/api/v1/whoami' : '/mcp', '192.0.2.66'))
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429])
    expect(await ask('/api/v1/whoami', '192.0.2.7')).toBe(401)
    const { status } = await send(hub.url, { path: '/api/v1/whoami', bearer: 'wrong' })
    expect(status).toBe(401)
  })
})

test('a passkey counts at the public name where it was added, and no more once the hub has another', async () => {
  await using hub = await startTestHub({ config: CONFIG })
  await setUpOwner(hub)
  const { visitor } = await signInOutside(hub)
  await visitor.get('/owner/form-token')
  const device = authenticatorAt(PUBLIC)
  const json = { 'content-type': 'application/json' }
  const ask = async (path: string, body: object, by = visitor, headers: Record<string, string> = {}) => {
    const all = { ...json, origin: PUBLIC, ...headers }
    return by.ask({
      method: 'POST',
      path,
      headers: all,
      body: JSON.stringify({ form_token: by.form_token, ...body }),
    })
  }
  const entering = JSON.parse((await ask('/owner/passkey/register-challenge', { current: PASSWORD })).text)
  expect(entering.options.rp.id).toBe(NAME)
  const credential = device.register(entering.options.challenge)
  expect((await ask('/owner/passkey/register', { label: 'phone', credential })).status).toBe(201)
  const enter = async (by: Visitor, origin: string) => {
    await by.get('/owner/sign-in')
    const { options } = JSON.parse((await ask('/owner/passkey/challenge', {}, by, { origin })).text)
    return ask('/owner/passkey/sign-in', { credential: device.prove(options.challenge, 0) }, by, { origin })
  }
  expect((await enter(outside(hub), PUBLIC)).status).toBe(200)
  expect((await outside(hub).get('/owner/sign-in')).text).toContain('passkey')
  hub.write(hub.home.config, { ...CONFIG, public_url: 'https://new.example.test' })
  const next = await startHub({ ...hub.options, host: '127.0.0.1', port: 0 })
  try {
    const at = visitorOf({ url: next.url, hub: next.hub }, 'new.example.test', from('192.0.2.7'))
    expect((await enter(at, 'https://new.example.test')).status).toBe(401)
  } finally {
    await next.stop()
  }
})

test('a hub whose public name is unclear does not start, and says why', async () => {
  expect(await startFault({ config: { public_url: PUBLIC } })).toContain('trusted_proxies')
  expect(await startFault({ config: { ...CONFIG, hosted_hostnames: [NAME] } })).toContain('one meaning')
  const tls = { cert: '/nowhere/cert.pem', key: '/nowhere/key.pem' }
  expect(await startFault({ config: { public_url: PUBLIC, tls } })).toContain('/nowhere/cert.pem')
})

test('what strangers try is on record without their words', async () => {
  await using hub = await startTestHub({ config: CONFIG })
  await send(hub.url, {
    path: '/api/v1/whoami',
    headers: { host: NAME, ...from('192.0.2.66') },
    bearer: hub.credentials.bearers.hub,
  })
  await oauth(hub, '/oauth/device_authorization', { client_id: 'local' })
  const [denied] = (await auditRecords(hub)).filter(({ operation }) => operation === 'whoami')
  expect(denied).toMatchObject({ outcome: 'denied', code: 'UNAUTHENTICATED', caller_kind: 'anonymous' })
})
