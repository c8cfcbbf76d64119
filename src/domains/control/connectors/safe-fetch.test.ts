import type { LookupFunction } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { makeTestHome } from '../../../../test/harness/test-hub.ts'
import { openHub } from '../../../operations/hub.ts'
import { SourceFault } from './connector.ts'
import { openSafeFetch } from './safe-fetch.ts'
import { openTestSource } from './source.fixture.ts'
import { startWebServer } from './web-server.fixture.ts'

const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing failed',
    (error: unknown) => (error instanceof SourceFault ? error.code : error),
  )

describe('where sources may lie', () => {
  test('a hub reaches loopback only where its owner has said so', async () => {
    await using server = await startWebServer((_, response) => response.end('hello'))
    const seen = async (config: object) => {
      await using home = await makeTestHome({ config })
      const hub = await openHub(home.options)
      const fetch = openSafeFetch(hub, new AbortController().signal)
      const answer = await fetch(server.url).then(
        ({ body }) => body.toString(),
        ({ code }) => code,
      )
      const located = await fetch.locate('127.0.0.1').catch(({ code }) => code)
      await hub.close()
      return [answer, located]
    }
    expect(await seen({})).toEqual(['refused', 'refused'])
    expect(await seen({ control: { allow_private_sources: ['10.0.0.0/8'] } })).toEqual(['refused', 'refused'])
    expect(await seen({ control: { allow_private_sources: ['127.0.0.0/8'] } })).toEqual([
      'hello',
      '127.0.0.1',
    ])
    expect(await seen({ control: { allow_private_sources: true } })).toEqual(['hello', '127.0.0.1'])
    expect(server.asked).toHaveLength(2)
  })

  test('neither a name nor a redirect leads to a closed address', async () => {
    const lookup = ((_name, _options, callback) =>
      callback(null, [
        { address: '93.184.215.14', family: 4 },
        { address: '10.0.0.7', family: 4 },
      ])) as LookupFunction
    await using server = await startWebServer((_, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
    )
    await using source = openTestSource({ reach: { lookup } })
    expect(await faultOf(source.fetch('http://mixed.example/'))).toBe('refused')
    expect(await faultOf(source.fetch.locate('mixed.example'))).toBe('refused')
    expect(await faultOf(source.fetch(server.url))).toBe('refused')
  })

  test.each(['file:///etc/passwd', 'ftp://example.org/', 'http://user:pass@127.0.0.1/', 'nonsense', ''])(
    'what is no plain web address is refused: %s',
    async (url) => {
      await using source = openTestSource()
      expect(await faultOf(source.fetch(url))).toBe('refused')
    },
  )
})

describe('how much and how long', () => {
  test('a body is cut at its limit, plain or packed', async () => {
    const large = Buffer.alloc(2_000_000, 'a')
    await using server = await startWebServer(({ url }, response) => {
      if (url === '/packed') response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(large))
      else response.end(large)
    })
    await using source = openTestSource()
    for (const path of ['/plain', '/packed']) {
      expect(await faultOf(source.fetch(server.url + path, { max_bytes: 100_000 }))).toBe('too_large')
      expect((await source.fetch(server.url + path)).body).toHaveLength(large.length)
    }
  })

  test('an answer without end is given up, and so is one that never begins', async () => {
    await using server = await startWebServer(({ url }, response) => {
      if (url === '/drip') setInterval(() => response.write('x'), 20).unref()
    })
    await using source = openTestSource({ reach: { timeout_ms: 300 } })
    expect(await faultOf(source.fetch(`${server.url}/drip`))).toBe('unreachable')
    expect(await faultOf(source.fetch(`${server.url}/silent`))).toBe('unreachable')
  })

  test('a cancelled run stops asking at once', async () => {
    await using server = await startWebServer((_, response) => void response.write('begun'))
    const cancel = new AbortController()
    await using source = openTestSource({ signal: cancel.signal })
    const work = faultOf(source.fetch(server.url))
    while (server.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    cancel.abort(new Error('enough'))
    expect(await work).toEqual(new Error('enough'))
  })

  test('redirects are counted', async () => {
    await using server = await startWebServer(({ url = '' }, response) =>
      response.writeHead(302, { location: `${url}x` }).end(),
    )
    await using source = openTestSource()
    expect(await faultOf(source.fetch(`${server.url}/`))).toBe('bad_answer')
    expect(server.asked).toHaveLength(6)
  })

  test.each([
    ['gzip', Buffer.from('not packed')],
    ['br', Buffer.from('not packed')],
    ['zstd-of-old', Buffer.from('x')],
  ])('a body that cannot be unpacked (%s) is a bad answer', async (encoding, body) => {
    await using server = await startWebServer((_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(body),
    )
    await using source = openTestSource()
    expect(await faultOf(source.fetch(server.url))).toBe('bad_answer')
  })
})

describe('what goes where', () => {
  test('a credential goes to no other origin, and what is posted goes nowhere else', async () => {
    await using other = await startWebServer((_, response) => response.end('other'))
    await using server = await startWebServer((_, response) =>
      response.writeHead(307, { location: `${other.url}/there` }).end('led'),
    )
    await using source = openTestSource()
    const headers = {
      Authorization: 'Bearer sentinel',
      Cookie: 'a=b',
      Accept: 'text/plain',
      'X-Key': 'sentinel',
    }
    expect((await source.fetch(server.url, { headers })).url).toBe(`${other.url}/there`)
    expect(server.asked[0]?.headers.authorization).toBe('Bearer sentinel')
    expect(JSON.stringify(other.asked)).not.toContain('sentinel')
    expect(other.asked[0]?.headers).toMatchObject({ accept: 'text/plain' })
    const posted = await source.fetch(server.url, { method: 'POST', body: 'secret=1' })
    expect(posted.status).toBe(307)
    expect(other.asked).toHaveLength(1)
  })
})
