import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestHub } from '../harness/test-hub.ts'
import { head, type RawReply, sendRaw } from './raw-http.fixture.ts'
import { auditRecords, codeOf, recorded, startRestHub } from './rest-hub.fixture.ts'

const BODY_LIMIT = 1_048_576
const SECRET = 'sekret-in-a-body'

let hub: TestHub
beforeAll(async () => void (hub = await startRestHub()))
afterAll(() => hub.close())

interface Posted {
  path?: string
  type?: string
  headers?: string[]
}

function post(body: string | Buffer, { path = '/api/v1/tokens', type, headers = [] }: Posted = {}) {
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: close',
    `Authorization: Bearer ${hub.credentials.bearers.admin}`,
    `Content-Type: ${type ?? 'application/json'}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ]
  return recorded(hub, () => sendRaw(hub.url, head(...lines), body))
}

/** The answer and its one record say the same, and neither repeats what was sent. */
async function expectRefused(act: ReturnType<typeof post>, status: number, code: string): Promise<RawReply> {
  const { result, records } = await act
  expect([result.status, codeOf({ text: result.body })]).toEqual([status, code])
  expect(Object.keys(JSON.parse(result.body) as object)).toEqual(['error', 'code'])
  expect(records).toMatchObject([{ outcome: 'denied', code, caller_kind: 'token' }])
  expect(result.raw).not.toContain(SECRET)
  expect(JSON.stringify(records)).not.toContain(SECRET)
  return result
}

const filled = (bytes: number) => `{"role":"${'x'.repeat(bytes - 11)}"}`
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

describe('size', () => {
  test('exactly the limit is read, one byte more is refused', async () => {
    expect(filled(BODY_LIMIT)).toHaveLength(BODY_LIMIT)
    await expectRefused(post(filled(BODY_LIMIT)), 400, 'BAD_REQUEST')
    await expectRefused(post(filled(BODY_LIMIT + 1)), 413, 'PAYLOAD_TOO_LARGE')
    await expectRefused(post(filled(BODY_LIMIT + 1), { path: '/mcp' }), 413, 'PAYLOAD_TOO_LARGE')
  })

  test.each([
    [BODY_LIMIT, 400, 'BAD_REQUEST'],
    [BODY_LIMIT + 1, 413, 'PAYLOAD_TOO_LARGE'],
  ])('%d bytes in pieces without a length answer %d', async (bytes, status, code) => {
    const body = filled(bytes)
    const half = Math.floor(bytes / 2)
    const lines = [
      'POST /api/v1/tokens HTTP/1.1',
      'Host: 127.0.0.1',
      'Connection: close',
      `Authorization: Bearer ${hub.credentials.bearers.admin}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ]
    const parts = [chunk(body.slice(0, half)), chunk(body.slice(half)), '0\r\n\r\n']
    const act = recorded(hub, () => sendRaw(hub.url, head(...lines), ...parts))
    await expectRefused(act, status, code)
  })

  test('a huge announced body is refused unread', async () => {
    const huge = ['Content-Length: 99999999999']
    const lines = ['POST /api/v1/tokens HTTP/1.1', 'Host: 127.0.0.1', 'Connection: close']
    const identity = `Authorization: Bearer ${hub.credentials.bearers.admin}`
    const request = head(...lines, identity, 'Content-Type: application/json', ...huge)
    const act = recorded(hub, () => sendRaw(hub.url, request))
    await expectRefused(act, 413, 'PAYLOAD_TOO_LARGE')
  })
})

describe('form', () => {
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonp',
    'text/json',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/json; charset="utf-7"',
    'application',
    '',
  ])('the content type "%s" is refused', async (type) => {
    await expectRefused(post('{"role":"viewer"}', { type }), 415, 'UNSUPPORTED_MEDIA_TYPE')
  })

  test.each(['application/json', 'APPLICATION/JSON', 'application/json;charset=utf-8'])(
    'the content type "%s" is read',
    async (type) => {
      expect((await post('{"role":"viewer"}', { type })).result.status).toBe(201)
      expect((await post('{"role":"viewer"}', { type: `${type}; charset="UTF-8"` })).result.status).toBe(201)
    },
  )

  test('a compressed body is refused, not guessed at', async () => {
    const headers = ['Content-Encoding: gzip']
    await expectRefused(post('{"role":"viewer"}', { headers }), 415, 'UNSUPPORTED_MEDIA_TYPE')
  })

  test.each([
    ['nothing but a brace', '{'],
    ['a comma too many', `{"role":"viewer","label":"${SECRET}",}`],
    ['a comment', `{"role":"viewer"} // ${SECRET}`],
    ['two documents', '{"role":"viewer"}{"role":"admin"}'],
    ['single quotes', `{'role':'${SECRET}'}`],
    ['NaN', '{"role":"viewer","ttl_seconds":NaN}'],
    ['a repeated key', `{"role":"viewer","role":"admin","label":"${SECRET}"}`],
    ['a key repeated in disguise', '{"role":"viewer","r\\u006fle":"admin"}'],
    ['a repeated key inside', `{"role":"viewer","${SECRET}":{"a":1,"a":2}}`],
    ['nesting too deep', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`],
    ['arrays too deep', '['.repeat(100_000)],
    ['an array', `["${SECRET}"]`],
    ['a text', `"${SECRET}"`],
    ['a number', '7'],
    ['null', 'null'],
    ['true', 'true'],
    ['an unknown key', `{"role":"viewer","${SECRET}":1}`],
    ['a prototype', '{"role":"viewer","__proto__":{"role":"admin"}}'],
    ['a constructor', '{"role":"viewer","constructor":{"prototype":{}}}'],
    ['only a prototype', '{"__proto__":{"role":"admin"}}'],
    ['an endless number', '{"role":"viewer","ttl_seconds":1e999}'],
    ['a number beyond exactness', '{"role":"viewer","ttl_seconds":9007199254740993}'],
    ['a negative number', '{"role":"viewer","ttl_seconds":-1}'],
    ['a fraction', '{"role":"viewer","ttl_seconds":1.5}'],
    ['a number as text', '{"role":"viewer","ttl_seconds":"60"}'],
    ['a role of another kind', '{"role":["viewer"]}'],
    ['a label too long', `{"role":"viewer","label":"${SECRET.repeat(9)}"}`],
    ['a byte order mark', '\ufeff{"role":"viewer"}'],
    ['a nul byte', '{"role":"viewer"}\0'],
    ['nothing', ''],
  ])('%s is refused', async (_what, body) => {
    await expectRefused(post(body), 400, 'BAD_REQUEST')
  })

  test.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a cut character', [0xe2, 0x82]],
  ])('bytes that are not UTF-8 (%s) are refused', async (_what, bytes) => {
    const body = Buffer.concat([
      Buffer.from('{"role":"viewer","label":"'),
      Buffer.from(bytes),
      Buffer.from('"}'),
    ])
    await expectRefused(post(body), 400, 'BAD_REQUEST')
  })

  test('a query beside a body is refused', async () => {
    const path = '/api/v1/tokens?role=admin'
    await expectRefused(post('{"role":"viewer"}', { path }), 400, 'BAD_REQUEST')
  })

  test('a refused body leaves nothing behind', async () => {
    const before = await auditRecords(hub)
    expect(before.filter(({ operation, outcome }) => operation === 'token_create' && outcome === 'allowed'))
      // The readable content types above.
      .toHaveLength(6)
  })
})
