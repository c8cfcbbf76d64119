import type { IncomingMessage } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { failureOf, openUpstreams, serve } from '../fixtures/test-upstreams.fixture.ts'
import { ToolProvider } from '../provider-policy.ts'

const provider = (url: string, more: object = {}) =>
  ToolProvider.parse({ kind: 'http', method: 'POST', url, ...more })

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

describe('a plain web service', () => {
  test('is sent the payload as JSON, with the headers of the policy, and its answer comes back', async () => {
    const seen: unknown[] = []
    const { url } = await serve(async (request, response) => {
      seen.push([
        request.method,
        request.url,
        request.headers.authorization,
        request.headers['x-note'],
        await readBody(request),
      ])
      response
        .setHeader('content-type', 'application/json; charset=utf-8')
        .end('{"ok":true,"said":"Bearer token-123456"}')
    })
    const upstreams = openUpstreams({ env: { NOTIFY_TOKEN: 'Bearer token-123456' } })
    const bound = provider(`${url}/notify?team=a`, {
      headers: { Authorization: 'env:NOTIFY_TOKEN', 'x-note': 'Bearer env:NOTIFY_TOKEN' },
    })
    expect(await upstreams.call(bound, { text: 'hi' })).toEqual({
      kind: 'http',
      status: 200,
      content_type: 'application/json',
      body: { ok: true, said: '[REDACTED]' },
    })
    expect(seen).toEqual([
      ['POST', '/notify?team=a', 'Bearer token-123456', 'Bearer Bearer token-123456', '{"text":"hi"}'],
    ])
  })

  test('is sent the payload in the query of a GET, which cannot change what the policy says', async () => {
    const { url } = await serve((request, response) => {
      response.setHeader('content-type', 'text/plain').end(`${request.method} ${request.url}`)
    })
    const upstreams = openUpstreams()
    const get = provider(`${url}/find?user=me`, { method: 'GET' })
    expect(await upstreams.call(get, { q: 'a b&c', n: 2, tags: ['x', 'y'] })).toMatchObject({
      content_type: 'text/plain',
      body: 'GET /find?user=me&q=a+b%26c&n=2&tags=x&tags=y',
    })
    expect(await failureOf(upstreams.call(get, { user: 'you' }))).toBe('protocol unsent')
    expect(await failureOf(upstreams.call(get, { q: 'x'.repeat(9000) }))).toBe('too_large unsent')
  })

  test.each(['/slow', '/?tool=slow'])(
    'that hangs at %s leaves connections for another of its origin',
    async (slow) => {
      const held: (() => void)[] = []
      const { url } = await serve((request, response) => {
        const answer = () => response.setHeader('content-type', 'text/plain').end('done')
        if (request.url?.includes('slow')) held.push(answer)
        else answer()
      })
      const upstreams = openUpstreams()
      const calls = Array.from({ length: 40 }, () => upstreams.call(provider(`${url}${slow}`), {}))
      await vi.waitFor(() => expect(held).toHaveLength(32))
      expect(await upstreams.call(provider(`${url}/quick`), {})).toMatchObject({ body: 'done' })
      const giving = setInterval(() => held.splice(0).forEach((answer) => answer()), 10)
      onTestFinished(() => clearInterval(giving))
      for (const answer of await Promise.all(calls)) expect(answer).toMatchObject({ body: 'done' })
    },
  )

  test('a query that is far too long is not put together first', async () => {
    let parts = 0
    const part = {
      toJSON() {
        parts++
        return 1
      },
    }
    const get = provider('http://127.0.0.1:9/', { method: 'GET' })
    const payload = { list: Array.from({ length: 6_000 }, () => part) }
    expect(await failureOf(openUpstreams().call(get, payload))).toBe('too_large unsent')
    expect(parts).toBeLessThan(3_000)
  })

  test.each([
    ['user', 'USER'],
    ['user', 'user[]'],
    ['user', 'user[name]'],
    ['user', ' user'],
    ['user', 'user\0x'],
    ['user[]', 'user'],
    ['user_id', 'user.id'],
    ['user_id', 'user id'],
    ['user_id', 'user[id'],
    ['user.id', 'user'],
    ['user[id]', 'user[ID][]'],
    ['user[]', 'user[0]'],
  ])('a parameter %j of the policy is not given anew as %j', async (own, given) => {
    const got: (string | undefined)[] = []
    const { url } = await serve((request, response) => {
      got.push(request.url)
      response.writeHead(204).end()
    })
    const bound = provider(`${url}/?${encodeURIComponent(own)}=me`, { method: 'GET' })
    expect(await failureOf(openUpstreams().call(bound, { [given]: 'you' }))).toBe('protocol unsent')
    expect(got).toEqual([])
    const others = {
      users: 'you',
      usr: 1,
      'users[id]': 2,
      ...(own === 'user[id]' && { 'user[name]': 'you' }),
    }
    expect(await failureOf(openUpstreams().call(bound, others))).toContain('answered')
  })

  test.each([
    [204, {}, '', { status: 204, content_type: null, body: '' }],
    [200, { 'content-type': 'application/problem+json' }, '[1]', { body: [1] }],
    [200, { 'content-type': 'text/plain; charset=iso-8859-1' }, '\u00e9', { body: 'Ã©' }],
    [200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }, gzipSync('<p>'), { body: '<p>' }],
  ])('answers %s %j', async (status, headers, body, expected) => {
    const { url } = await serve((_, response) => response.writeHead(status, headers).end(body))
    expect(await openUpstreams().call(provider(url), {})).toMatchObject(expected)
  })

  test.each([
    [404, {}, 'gone', 'http_status sent 404'],
    [503, { 'content-type': 'application/json' }, '{}', 'http_status sent 503'],
    [304, {}, '', 'protocol sent'],
    [302, {}, '', 'protocol sent'],
    [200, { 'content-type': 'application/json' }, '{', 'protocol sent'],
    [200, { 'content-type': 'image/png' }, 'x', 'protocol sent'],
    [200, { 'content-type': 'text/plain; charset=klingon' }, 'x', 'protocol sent'],
    [200, {}, 'x', 'protocol sent'],
    [200, { 'content-type': 'text/plain', 'content-encoding': 'zstd' }, 'x', 'protocol sent'],
    [200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }, 'not gzip', 'protocol sent'],
    [200, { 'content-type': 'application/json' }, `${'['.repeat(100)}${']'.repeat(100)}`, 'protocol sent'],
  ])('refuses %s %j %s', async (status, headers, body, outcome) => {
    const { url } = await serve((_, response) => response.writeHead(status, headers).end(body))
    expect(await failureOf(openUpstreams().call(provider(url), {}))).toBe(outcome)
  })

  test('nobody there, a missing credential and a toolbox are told apart, and nothing was sent', async () => {
    const upstreams = openUpstreams({ env: { EMPTY: '', BROKEN: 'a\r\nb: c' } })
    const { url, server } = await serve(() => {})
    server.close()
    expect(await failureOf(upstreams.call(provider(url), {}))).toBe('unreachable unsent')
    for (const header of ['env:EMPTY', 'env:NOT_THERE', 'env:BROKEN', 'file:/no/such/file']) {
      const bound = provider(url, { headers: { authorization: header } })
      expect(await failureOf(upstreams.call(bound, {}))).toBe('credential_missing unsent')
    }
    const toolbox = ToolProvider.parse({ kind: 'toolbox', tool: 't', project: '/p', service: 's', role: 'r' })
    expect(await failureOf(upstreams.call(toolbox, {}))).toBe('not_available unsent')
  })
})

describe('a web service that misbehaves', () => {
  test('an endless body is cut at the limit', async () => {
    const { url } = await serve((_, response) => {
      response.setHeader('content-type', 'text/plain')
      const pour = () => {
        while (response.write('x'.repeat(65_536)) && !response.destroyed) {
          // As fast as the reader takes it.
        }
      }
      response.on('drain', pour)
      pour()
    })
    expect(await failureOf(openUpstreams().call(provider(url), {}))).toBe('too_large sent')
  })

  test('a small body that unpacks to a large one is cut at the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(64_000_000))
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(bomb)
    })
    expect(bomb.length).toBeLessThan(262_144)
    expect(await failureOf(openUpstreams().call(provider(url), {}))).toBe('too_large sent')
  })

  test('a body that drips, and one that never begins, end with the time limit', async () => {
    const timers: NodeJS.Timeout[] = []
    onTestFinished(() => timers.forEach((timer) => clearInterval(timer)))
    const { url } = await serve((request, response) => {
      if (request.url === '/never') return
      response.setHeader('content-type', 'text/plain')
      timers.push(setInterval(() => response.write('x'), 50))
    })
    const upstreams = openUpstreams()
    const bound = (path: string) => provider(url + path, { timeout_seconds: 1 })
    const calls = ['/drip', '/never'].map((path) => failureOf(upstreams.call(bound(path), {})))
    expect(await Promise.all(calls)).toEqual(['timeout sent', 'timeout sent'])
  })

  test('a caller that goes away closes the connection', async () => {
    let closed = 0
    const leaving = new AbortController()
    const { url } = await serve((request) => {
      request.socket.on('close', () => closed++)
      leaving.abort()
    })
    const call = failureOf(openUpstreams().call(provider(url), {}, { signal: leaving.signal }))
    expect(await call).toBe('cancelled sent')
    await vi.waitFor(() => expect(closed).toBe(1))
  })

  test.each([
    ['headers without end', `HTTP/1.1 200 OK\r\n${'x-pad: 0123456789\r\n'.repeat(5000)}`, 'too_large sent'],
    ['no HTTP', 'SSH-2.0-OpenSSH_9\r\n\r\n', 'protocol sent'],
    [
      'an answer cut short',
      'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100\r\n\r\nx',
      'unreachable sent',
    ],
    ['a closed door', '', 'unreachable sent'],
  ])('%s', async (_, text, outcome) => {
    const server = createTcpServer((socket: Socket) => {
      socket.on('error', () => {}).once('data', () => socket.end(text))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    expect(await failureOf(openUpstreams().call(provider(`http://127.0.0.1:${port}/`), {}))).toBe(outcome)
  })
})
