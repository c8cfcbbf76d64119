import type { IncomingMessage } from 'node:http'
import type { LookupFunction, Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import { describe, expect, test, vi } from 'vitest'
import { startDeadline } from '../deadline.ts'
import { failureOf, openUpstreams, serve } from '../fixtures/test-upstreams.fixture.ts'
import { ToolProvider } from '../provider-policy.ts'
import { follow } from './follow.ts'

const provider = (url: string, more: object = {}) =>
  ToolProvider.parse({ kind: 'http', method: 'POST', url, ...more })

/** Resolves every name to these addresses. */
function lookupTo(...addresses: string[]): LookupFunction {
  return (_name, options, callback) => {
    const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    if (options.all) callback(null, all)
    else callback(null, all[0]?.address ?? '', all[0]?.family)
  }
}

describe('where a call may go', () => {
  test.each(
    'http://169.254.169.254/ http://10.0.0.1/ http://[::1]:1/ http://[::ffff:127.0.0.1]:1/'.split(' '),
  )('a redirect to %s is not followed', async (target) => {
    const { url } = await serve((_, response) => response.writeHead(302, { location: target }).end())
    expect(await failureOf(openUpstreams().call(provider(url), {}))).toBe('refused_address sent')
  })

  test('a redirect to another port of the same machine is not followed, unless the policy lists the address', async () => {
    let reached = 0
    const inner = await serve((_, response) => {
      reached++
      response.setHeader('content-type', 'text/plain').end('inner')
    })
    const outer = await serve((_, response) => response.writeHead(307, { location: inner.url }).end())
    const upstreams = openUpstreams()
    expect(await failureOf(upstreams.call(provider(outer.url), {}))).toBe('refused_address sent')
    expect(reached).toBe(0)
    const listed = provider(outer.url, { allow_addresses: ['127.0.0.0/8'] })
    expect(await upstreams.call(listed, {})).toMatchObject({ body: 'inner' })
  })

  test.each([
    ['127.0.0.1'],
    ['::1'],
    ['169.254.169.254'],
    ['::ffff:127.0.0.1'],
    ['8.8.8.8', '127.0.0.1'],
    ['64:ff9b::7f00:1'],
  ])('a name that stands for %s %s is refused before anything is sent', async (...addresses) => {
    let connections = 0
    const { port, server } = await serve(() => {})
    server.on('connection', () => connections++)
    const upstreams = openUpstreams({ lookup: lookupTo(...addresses) })
    expect(await failureOf(upstreams.call(provider(`http://public.test:${port}/`), {}))).toBe(
      'refused_address unsent',
    )
    expect(connections).toBe(0)
  })

  test('a name that changes its address between two calls is checked at each connection', async () => {
    let address = '127.0.0.1'
    const lookup: LookupFunction = (name, options, callback) => lookupTo(address)(name, options, callback)
    const { port } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', connection: 'close' }).end('ok')
    })
    const upstreams = openUpstreams({ lookup })
    const bound = provider(`http://name.test:${port}/`, { allow_addresses: ['127.0.0.1'] })
    expect(await upstreams.call(bound, {})).toMatchObject({ body: 'ok' })
    address = '127.0.0.2'
    expect(await failureOf(upstreams.call(bound, {}))).toBe('refused_address unsent')
  })

  test('localhost and a literal IPv6 address in the policy are named', async () => {
    const { port } = await serve((_, response) => response.setHeader('content-type', 'text/plain').end('ok'))
    const upstreams = openUpstreams({ lookup: lookupTo('127.0.0.1') })
    expect(await upstreams.call(provider(`http://localhost:${port}/`), {})).toMatchObject({ body: 'ok' })
    expect(await failureOf(upstreams.call(provider('http://[::1]:1/'), {}))).toBe('unreachable unsent')
  })

  test('redirects end after three, and never lead to another protocol or to a user', async () => {
    let hops = 0
    const { url } = await serve((request, response) => {
      hops++
      const targets: Record<string, string> = {
        '/file': 'file:///etc/passwd',
        '/user': `${url.replace('//', '//me:you@')}/`,
      }
      response.writeHead(302, { location: targets[request.url ?? ''] ?? '/again' }).end()
    })
    const upstreams = openUpstreams()
    expect(await failureOf(upstreams.call(provider(url), {}))).toBe('protocol sent')
    expect(hops).toBe(4)
    expect(await failureOf(upstreams.call(provider(`${url}/file`), {}))).toBe('protocol sent')
    expect(await failureOf(upstreams.call(provider(`${url}/user`), {}))).toBe('protocol sent')
    expect(hops).toBe(6)
  })

  test('a redirect from https to http is not followed', async () => {
    const asked: unknown[] = []
    const agent = {
      dispatch({ origin }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
        asked.push(origin)
        const controller = { abort() {} } as unknown as Dispatcher.DispatchController
        handler.onRequestStart?.(controller, null)
        handler.onResponseStart?.(controller, 307, { location: 'http://secure.test/' })
        handler.onResponseEnd?.(controller, {})
        return true
      },
    } as unknown as Dispatcher
    const bounds = { limit_bytes: 100, deadline: startDeadline(5, undefined), progress: { sent: false } }
    const request = {
      url: new URL('https://secure.test/'),
      method: 'GET',
      headers: {},
      body: undefined,
      ...bounds,
    }
    expect(await failureOf(follow(agent, request))).toBe('protocol sent')
    expect(asked).toEqual(['https://secure.test'])
  })

  test('another origin gets no credential; the same origin keeps it', async () => {
    const seen: unknown[] = []
    const note = (request: IncomingMessage) =>
      void seen.push([
        request.method,
        request.url,
        request.headers.authorization,
        request.headers['x-api-key'],
        request.headers.accept,
      ])
    const other = await serve((request, response) => {
      note(request)
      response.setHeader('content-type', 'text/plain').end('other')
    })
    const first = await serve((request, response) => {
      note(request)
      const location = request.url === '/a' ? '/b' : `${other.url}/c`
      response.writeHead(request.url === '/a' ? 308 : 303, { location }).end()
    })
    const bound = provider(`${first.url}/a`, {
      headers: { authorization: 'Bearer literal-token', 'x-api-key': 'env:KEY', accept: 'text/plain' },
      allow_addresses: ['127.0.0.1'],
    })
    expect(await openUpstreams({ env: { KEY: 'key-value' } }).call(bound, {})).toMatchObject({
      body: 'other',
    })
    expect(seen).toEqual([
      ['POST', '/a', 'Bearer literal-token', 'key-value', 'text/plain'],
      ['POST', '/b', 'Bearer literal-token', 'key-value', 'text/plain'],
      ['GET', '/c', undefined, undefined, 'text/plain'],
    ])
  })

  test('connections are kept for the next call, and none is left after close', async () => {
    const sockets = new Set<Socket>()
    const { url, server } = await serve((_, response) =>
      response.setHeader('content-type', 'text/plain').end('ok'),
    )
    server.on('connection', (socket) => {
      sockets.add(socket)
    })
    const upstreams = openUpstreams()
    for (let n = 0; n < 5; n++) await upstreams.call(provider(url), {})
    // A call that follows at once may find the first connection not yet free.
    expect(sockets.size).toBeLessThan(3)
    await upstreams.close()
    await vi.waitFor(() => expect([...sockets].every((socket) => socket.destroyed)).toBe(true))
    expect(await failureOf(upstreams.call(provider(url), {}))).toBe('not_available unsent')
  })
})
