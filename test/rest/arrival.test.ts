import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestHub } from '../harness/test-hub.ts'
import { jwt } from './credentials.fixture.ts'
import { head, sendRaw } from './raw-http.fixture.ts'
import { codeOf, recorded, startRestHub } from './rest-hub.fixture.ts'

let hub: TestHub
let port: string
let gateway: string
beforeAll(async () => {
  hub = await startRestHub({
    config: {
      hosted_hostnames: ['hub.example.test'],
      allowed_origins: ['https://app.example.test'],
      rate_limits: { failed_authentications_per_minute: 1_000_000 },
    },
  })
  port = new URL(hub.url).port
  gateway = await jwt()
})
afterAll(() => hub.close())

interface Wish {
  target?: string
  version?: string
  bearer?: string | undefined
}

function ask(lines: string[], { target = '/api/v1/whoami', version = '1.1', bearer }: Wish = {}) {
  const identity = `Authorization: Bearer ${bearer ?? hub.credentials.bearers.hub}`
  const request = head(`GET ${target} HTTP/${version}`, ...lines, identity, 'Connection: close')
  return recorded(hub, () => sendRaw(hub.url, request))
}

async function expectRefusal(lines: string[], status: number, code: string, wish?: Wish): Promise<void> {
  const { result, records } = await ask(lines, wish)
  expect([result.status, codeOf({ text: result.body })]).toEqual([status, code])
  expect(records).toMatchObject([{ operation: 'whoami', outcome: 'denied', code, caller_kind: 'anonymous' }])
}

async function doorsAt(host: string): Promise<string[]> {
  const reply = await sendRaw(hub.url, head('GET / HTTP/1.1', `Host: ${host}`, 'Connection: close'))
  return Object.keys(JSON.parse(reply.body).links)
}

describe('Host', () => {
  test.each(['127.0.0.1', 'localhost', 'LOCALHOST', 'LocalHost:1', '[::1]', '[::1]:4747', '127.0.0.1:65535'])(
    'the loopback name %s is let in',
    async (host) => {
      expect((await ask([`Host: ${host}`])).result.status).toBe(200)
    },
  )

  test.each([
    'evil.com',
    'evil.com:4747',
    'localhost.evil.com',
    '127.0.0.1.evil.com',
    'evil.com:127.0.0.1',
    'localhost.',
    '127.0.0.1.',
    'localhost:4747:80',
    'localhost:',
    'localhost:port',
    'localhost@evil.com',
    'evil.com@localhost',
    'user:pass@127.0.0.1',
    '127.0.0.1#evil.com',
    '127.0.0.1/evil',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '0.0.0.0',
    '::1',
    '[::1',
    '[::ffff:127.0.0.1]',
    '[0:0:0:0:0:0:0:1]',
    'hub.example.test.evil.com',
    'api.knowtation.store',
    '',
  ])('the foreign name "%s" is turned away', async (host) => {
    await expectRefusal([`Host: ${host}`], 403, 'HOST_DENIED')
  })

  test('a request without Host is turned away, old protocol or new', async () => {
    await expectRefusal([], 403, 'HOST_DENIED')
    await expectRefusal([], 403, 'HOST_DENIED', { version: '1.0' })
  })

  test.each([
    ['the same', ['Host: localhost', 'Host: localhost']],
    ['an evil second', ['Host: localhost', 'Host: evil.com']],
    ['an evil first', ['Host: evil.com', 'hOST: localhost']],
  ])('two Host headers (%s) are refused', async (_what, lines) => {
    await expectRefusal(lines, 400, 'BAD_REQUEST')
  })

  test('two Authorization headers are refused', async () => {
    await expectRefusal(['Host: localhost', 'Authorization: Bearer x'], 400, 'BAD_REQUEST')
  })

  // Of the two the second could be another grant than the one that something before the hub looked at.
  test.each(['X-Flow-External-Bearer', 'X-Flow-Grant-Id', 'X-Vault-Id', 'Content-Type'])(
    'two %s headers are refused',
    async (name) => {
      const twice = [`${name}: one`, `${name.toLowerCase()}: two`]
      await expectRefusal(['Host: localhost', ...twice], 400, 'BAD_REQUEST')
    },
  )

  test('a target that names a host must name the one of the header', async () => {
    const own = `http://127.0.0.1:${port}/api/v1/whoami`
    expect((await ask([`Host: 127.0.0.1:${port}`], { target: own })).result.status).toBe(200)
    const evil = { target: 'http://evil.com/api/v1/whoami' }
    await expectRefusal([`Host: 127.0.0.1:${port}`], 403, 'HOST_DENIED', evil)
    const tricky = { target: 'http://127.0.0.1@evil.com/api/v1/whoami' }
    await expectRefusal(['Host: 127.0.0.1'], 403, 'HOST_DENIED', tricky)
  })

  test('forwarded headers never count', async () => {
    const lines = ['X-Forwarded-Host: localhost', 'Forwarded: host=localhost', 'X-Forwarded-For: 127.0.0.1']
    await expectRefusal(['Host: evil.com', ...lines], 403, 'HOST_DENIED')
    const reverse = ['X-Forwarded-Host: evil.com', 'Forwarded: host=evil.com', 'X-Forwarded-For: 10.0.0.1']
    expect((await ask(['Host: localhost', ...reverse])).result.status).toBe(200)
  })

  test('only the pinned hosted name is let in, with a gateway JWT', async () => {
    const asGateway = { bearer: gateway }
    for (const host of ['hub.example.test', 'HUB.example.test', 'hub.example.test:443'])
      expect((await ask([`Host: ${host}`], asGateway)).result.status).toBe(200)
    await expectRefusal(['Host: hub.example.test'], 401, 'UNAUTHENTICATED')
    await expectRefusal(['Host: api.knowtation.store'], 403, 'HOST_DENIED', asGateway)
  })

  test('the front names no door that is shut under the hosted name', async () => {
    const open_to_all = ['openapi', 'mcp', 'health', 'flows']
    expect((await doorsAt('hub.example.test')).toSorted()).toEqual(open_to_all.toSorted())
    expect((await doorsAt('localhost')).toSorted()).toEqual([...open_to_all, 'metrics', 'owner'].toSorted())
  })

  test('pages are not shown under a foreign name either', async () => {
    for (const target of ['/', '/style.css', '/healthz', '/metrics', '/openapi.json', '/mcp']) {
      const reply = await sendRaw(
        hub.url,
        head(`GET ${target} HTTP/1.1`, 'Host: evil.com', 'Connection: close'),
      )
      expect([target, reply.status, codeOf({ text: reply.body })]).toEqual([target, 403, 'HOST_DENIED'])
    }
  })
})

describe('Origin', () => {
  test('its own pages may call the hub', async () => {
    const host = `Host: 127.0.0.1:${port}`
    for (const origin of [`http://127.0.0.1:${port}`, `http://localhost:${port}`, 'https://app.example.test'])
      expect((await ask([host, `Origin: ${origin}`])).result.status).toBe(200)
    const hosted = ['Host: hub.example.test', 'Origin: https://hub.example.test']
    expect((await ask(hosted, { bearer: gateway })).result.status).toBe(200)
  })

  test.each([
    'null',
    '',
    'http://evil.com',
    'http://127.0.0.1:1',
    'http://127.0.0.1',
    'https://127.0.0.1:PORT',
    'http://127.0.0.1:PORT.evil.com',
    'http://127.0.0.1:PORT/',
    'http://localhost.evil.com:PORT',
    'https://app.example.test.evil.com',
    'https://hub.example.test',
    'file://',
    'chrome-extension://abcdefgh',
  ])('the foreign origin "%s" is turned away', async (origin) => {
    const lines = [`Host: 127.0.0.1:${port}`, `Origin: ${origin.replace('PORT', port)}`]
    await expectRefusal(lines, 403, 'ORIGIN_DENIED')
  })

  test('under the hosted name only the hosted page and the listed ones may call', async () => {
    for (const origin of ['http://hub.example.test', `http://127.0.0.1:${port}`, 'https://evil.com']) {
      const lines = ['Host: hub.example.test', `Origin: ${origin}`]
      await expectRefusal(lines, 403, 'ORIGIN_DENIED', { bearer: gateway })
    }
  })

  test('two origins are refused', async () => {
    const own = `Origin: http://127.0.0.1:${port}`
    await expectRefusal([`Host: 127.0.0.1:${port}`, own, own], 400, 'BAD_REQUEST')
  })

  test('no answer ever invites another origin', async () => {
    const preflight = head(
      'OPTIONS /api/v1/flows HTTP/1.1',
      'Host: localhost',
      'Origin: https://app.example.test',
      'Access-Control-Request-Method: POST',
      'Connection: close',
    )
    const reply = await sendRaw(hub.url, preflight)
    expect(reply.status).toBe(404)
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})
