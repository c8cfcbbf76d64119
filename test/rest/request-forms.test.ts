import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMMON_ERRORS } from '../../src/operations/errors.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { head, sendRaw } from './raw-http.fixture.ts'
import { codeOf, recorded, send, startRestHub } from './rest-hub.fixture.ts'

let hub: TestHub
let identity: string
beforeAll(async () => {
  hub = await startRestHub()
  identity = `Authorization: Bearer ${hub.credentials.bearers.admin}`
})
afterAll(() => hub.close())

function ask(target: string, method = 'GET', ...lines: string[]) {
  const request = head(
    `${method} ${target} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: close',
    identity,
    ...lines,
  )
  return recorded(hub, () => sendRaw(hub.url, request))
}

describe('paths', () => {
  test.each([
    ['a slash', 'a%2Fb'],
    ['a nul', 'flow_a%00'],
    ['a line end', 'flow_a%0d%0aX-Evil:%201'],
    ['dots', '..'],
    ['encoded dots', '%2e%2e'],
    ['a climb', '..%2f..%2ftokens'],
    ['a backslash', '..%5c..%5cetc'],
    ['twice encoded', '%252e%252e'],
    ['not UTF-8 in disguise', 'flow_%EF%BF%BD'],
    ['an SQL text', "flow_a'%20OR%20'1'%3D'1"],
    ['upper case', 'FLOW_RESEARCH_BRIEF'],
    ['an id of 70 signs', `flow_${'a'.repeat(65)}`],
    ['an id of 5,000 signs', `flow_${'a'.repeat(5_000)}`],
    ['a prototype', '__proto__'],
    ['another kind of id', 'tok_0000000000000000'],
  ])('an id with %s is refused by the operation, on record and unnamed', async (_what, id) => {
    const { result, records } = await ask(`/api/v1/flows/${id}`)
    expect([result.status, codeOf({ text: result.body })]).toEqual([400, 'BAD_REQUEST'])
    expect(records).toMatchObject([{ operation: 'flow_get', code: 'BAD_REQUEST', target_id: null }])
  })

  test.each(['/api/v1/flows/%zz', '/api/v1/flows/%', '/api/v1/flows/%c0%af', '/%ff'])(
    'the unreadable path %s gets an answer that repeats nothing of it',
    async (target) => {
      const { result } = await ask(target)
      expect(result.status).toBe(400)
      expect(JSON.parse(result.body)).toEqual({
        error: COMMON_ERRORS.BAD_REQUEST.message,
        code: 'BAD_REQUEST',
      })
    },
  )

  test.each([
    '/api/v1//flows',
    '//api/v1/flows',
    '/API/v1/flows',
    '/api/v1/flows/../tokens',
    '/api/v1/./flows',
    '/.git/config',
    '/hub-token',
    '/knowtation.db',
    '/api/v1/flows/flow_a/projection/x',
    '/%2e%2e/%2e%2e/etc/passwd',
  ])('nothing is at %s', async (target) => {
    const { result } = await ask(target)
    expect([result.status, codeOf({ text: result.body })]).toEqual([404, 'NOT_FOUND'])
  })
})

describe('queries', () => {
  test.each([
    'scope=personal&scope=org',
    'scope=personal&scope=personal',
    'limit=1&limit=2',
    'limit=0x10',
    'limit=1e2',
    'limit=',
    'limit=-1',
    'limit=999999999999999999999',
    'scope[]=personal',
    'scope[x]=personal',
    '__proto__=1',
    '__proto__[scope]=org',
    'constructor=1',
    'vault_id=other',
    'access_token=x',
    'tag=',
    `tag=${'x'.repeat(65)}`,
  ])('?%s is refused on record', async (query) => {
    const { result, records } = await ask(`/api/v1/flows?${query}`)
    expect([result.status, codeOf({ text: result.body })]).toEqual([400, 'BAD_REQUEST'])
    expect(records).toMatchObject([{ operation: 'flow_list', code: 'BAD_REQUEST' }])
  })

  test('a bearer in the query is no credential', async () => {
    const { viewer } = hub.credentials.bearers
    const answer = await send(hub.url, { path: `/api/v1/flows?access_token=${viewer}` })
    expect(answer.status).toBe(401)
  })

  verifies('FLOW-035', 'an unknown scope is a bad request, a scope out of reach is denied', async () => {
    const bearer = hub.credentials.bearers.viewer
    const unknown = await send(hub.url, { path: '/api/v1/flows?scope=galaxy', bearer })
    expect([unknown.status, codeOf(unknown)]).toEqual([400, 'BAD_REQUEST'])
    const denied = await send(hub.url, { path: '/api/v1/flows?scope=org', bearer })
    expect([denied.status, codeOf(denied)]).toEqual([403, 'FLOW_SCOPE_DENIED'])
  })

  verifies('FLOW-031', 'every error body has exactly error and code', async () => {
    const { admin, viewer } = hub.credentials.bearers
    const asked: [number, string, string | undefined][] = [
      [400, '/api/v1/flows?scope=galaxy', viewer],
      [401, '/api/v1/flows', undefined],
      [403, '/api/v1/flows?scope=org', viewer],
      [404, '/api/v1/flows/flow_nope', admin],
      [404, '/api/v1/nothing', admin],
      [400, '/api/v1/flows/%zz', admin],
    ]
    for (const [status, path, bearer] of asked) {
      const answer = await send(hub.url, { path, bearer })
      expect(answer.status).toBe(status)
      const body = JSON.parse(answer.text) as Record<string, unknown>
      expect(Object.keys(body)).toEqual(['error', 'code'])
      expect(Object.values(body).map((value) => typeof value)).toEqual(['string', 'string'])
    }
  })
})

describe('methods', () => {
  test.each(['HEAD', 'OPTIONS', 'TRACE', 'PUT', 'PATCH', 'PROPFIND'])('%s is not served', async (method) => {
    const { result } = await ask('/api/v1/flows', method)
    expect(result.status).toBe(404)
    // TRACE would send credentials back to whoever reads the answer.
    expect(result.raw).not.toContain(hub.credentials.bearers.admin)
  })

  test.each(['/', '/healthz', '/openapi.json'])(
    'HEAD of %s is what GET answers, without it',
    async (path) => {
      const [asked, seen] = await Promise.all(
        ['HEAD', 'GET'].map((method) => fetch(hub.url + path, { method })),
      )
      expect([asked?.status, await asked?.text()]).toEqual([200, ''])
      for (const name of ['content-type', 'content-length', 'content-security-policy', 'cache-control'])
        expect([name, asked?.headers.get(name)]).toEqual([name, seen?.headers.get(name)])
      await seen?.text()
    },
  )

  verifies('GATE-003', 'a projection cannot be written back', async () => {
    for (const method of ['PUT', 'POST', 'PATCH', 'DELETE']) {
      const { result } = await ask('/api/v1/flows/flow_research_brief/projection', method)
      expect(result.status).toBe(404)
    }
  })

  test('CONNECT gets no tunnel', async () => {
    const { result } = await ask('example.test:443', 'CONNECT')
    expect(result.raw).not.toContain(' 200 ')
  })

  test('an override header does not change the method', async () => {
    const { token_ids } = hub.credentials
    const override = ['X-HTTP-Method-Override: DELETE', 'X-Method-Override: DELETE']
    const { result } = await ask(`/api/v1/tokens/${token_ids.viewer}`, 'GET', ...override)
    expect(result.status).toBe(404)
  })

  test('a body on a route that takes none is refused', async () => {
    const { token_ids, bearers } = hub.credentials
    const path = `/api/v1/tokens/${token_ids.viewer}`
    const body = JSON.stringify({ token_id: token_ids.editor })
    const headers = { 'content-length': String(body.length) }
    const answer = await send(hub.url, { method: 'DELETE', path, bearer: bearers.admin, body, headers })
    expect([answer.status, codeOf(answer)]).toEqual([400, 'BAD_REQUEST'])
    const still = await send(hub.url, { path: '/api/v1/whoami', bearer: bearers.viewer })
    expect(still.status).toBe(200)
    // What holds nothing contradicts nothing; a list is not even an object.
    const sent = async (text: string) =>
      (
        await send(hub.url, {
          method: 'DELETE',
          path: '/api/v1/tokens/tok_0000000000000000',
          bearer: bearers.admin,
          body: text,
          headers: { 'content-length': String(text.length) },
        })
      ).status
    expect([await sent('{}'), await sent('[]'), await sent('0')]).toEqual([404, 400, 400])
  })
})

describe('what is hardly HTTP', () => {
  const post = ['POST /api/v1/tokens HTTP/1.1', 'Host: 127.0.0.1', 'Content-Type: application/json']
  const inner = head('GET /api/v1/doctor HTTP/1.1', 'Host: 127.0.0.1', 'Connection: close')
  const smuggling: [string, string[], string][] = [
    ['a length and chunks', ['Content-Length: 4', 'Transfer-Encoding: chunked'], `0\r\n\r\n${inner}`],
    ['chunks and a length', ['Transfer-Encoding: chunked', 'Content-Length: 4'], `0\r\n\r\n${inner}`],
    ['two lengths', ['Content-Length: 2', 'Content-Length: 40'], `{}${inner}`],
    ['a list of lengths', ['Content-Length: 2, 40'], `{}${inner}`],
    ['a length with a sign', ['Content-Length: +2'], `{}${inner}`],
    ['an unknown encoding', ['Transfer-Encoding: xchunked'], `0\r\n\r\n${inner}`],
    ['chunks twice', ['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${inner}`],
    ['a chunk size that is none', ['Transfer-Encoding: chunked'], `0x2\r\n{}\r\n0\r\n\r\n${inner}`],
    ['a space before the colon', ['Content-Length : 2'], `{}${inner}`],
    ['a folded header', ['X-Folded: a', ' Transfer-Encoding: chunked'], `0\r\n\r\n${inner}`],
  ]
  test.each(smuggling)('%s: one refusal and the connection ends', async (_what, lines, rest) => {
    const reply = await sendRaw(hub.url, head(...post, identity, ...lines), rest)
    expect(reply.status).toBe(400)
    expect(reply.raw.match(/^HTTP\/1\.1 /gm)).toHaveLength(1)
    expect(codeOf({ text: reply.body })).toBe('BAD_REQUEST')
  })

  test.each([
    ['noise', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['an unknown method', head('STEAL / HTTP/1.1', 'Host: 127.0.0.1')],
    ['another protocol', head('GET / HTTP/3.0', 'Host: 127.0.0.1')],
    ['a nul in a header', head('GET / HTTP/1.1', 'Host: 127.0.0.1', 'X-A: a\0b')],
  ])('%s gets a plain refusal', async (_what, bytes) => {
    const reply = await sendRaw(hub.url, Buffer.from(bytes, 'latin1'))
    expect(reply.status).toBe(400)
    expect(JSON.parse(reply.body)).toEqual({
      error: COMMON_ERRORS.BAD_REQUEST.message,
      code: 'BAD_REQUEST',
    })
  })

  test('noise after a whole request does not take its answer away', async () => {
    const good = ['GET /api/v1/whoami HTTP/1.1', 'Host: 127.0.0.1', identity]
    const { result, records } = await recorded(hub, () => sendRaw(hub.url, `${head(...good)}{"not":"http"}`))
    expect(result.status).toBe(200)
    expect(result.raw.match(/^HTTP\/1\.1 /gm)).toHaveLength(1)
    expect(records).toMatchObject([{ operation: 'whoami', outcome: 'allowed' }])
  })

  test('headers without end are refused', async () => {
    const reply = await sendRaw(
      hub.url,
      head('GET / HTTP/1.1', 'Host: 127.0.0.1', `X-A: ${'a'.repeat(20_000)}`),
    )
    expect([reply.status, codeOf({ text: reply.body })]).toEqual([431, 'HEADERS_TOO_LARGE'])
  })

  test('an unknown expectation does not keep a request from its answer', async () => {
    const { result } = await ask('/api/v1/whoami', 'GET', 'Expect: a-pony')
    expect(result.status).toBe(200)
  })
})
