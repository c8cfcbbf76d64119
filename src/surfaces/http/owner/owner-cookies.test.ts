import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { findCookie, findOwnSession, isSameOrigin, setCookie } from './owner-cookies.ts'

const HOST = 'name.localhost:4747'
const OWN = `http://${HOST}`
const request = (headers: Record<string, string>, method?: string) =>
  ({ method, headers: { host: HOST, ...headers } }) as unknown as IncomingMessage

describe('a cookie of ours', () => {
  test.each([
    ['alone', 'knowtation_owner_4747=abc', 'abc'],
    ['among others', 'a=b;knowtation_owner_4747=abc;  c=d', 'abc'],
    ['with a sign of its own', 'knowtation_owner_4747=a=b', 'a=b'],
    ['twice', 'knowtation_owner_4747=abc; knowtation_owner_4747=abc', undefined],
    ['of another port', 'knowtation_owner_4748=abc', undefined],
    ['of another use', 'knowtation_visit_4747=abc', undefined],
    ['within another name', 'x_knowtation_owner_4747=abc', undefined],
    ['at the end of 8,192 signs', `a=${'b'.repeat(8_162)}; knowtation_owner_4747=abcd`, 'abcd'],
    ['at the end of 8,193 signs', `a=${'b'.repeat(8_163)}; knowtation_owner_4747=abcd`, undefined],
  ])('%s', (_what, cookie, value) => {
    expect(findCookie('owner', request({ cookie }), OWN)).toBe(value)
  })

  test('is named by the port, 80 where none is said', () => {
    expect(findCookie('visit', request({ cookie: 'knowtation_visit_80=v' }), 'http://localhost')).toBe('v')
    expect(findCookie('owner', request({}), OWN)).toBe(undefined)
    expect(setCookie('owner', 'abc', OWN)).toBe(
      'knowtation_owner_4747=abc; Path=/; HttpOnly; SameSite=Strict',
    )
    expect(setCookie('visit', 'abc', 'http://localhost', 0)).toBe(
      'knowtation_visit_80=abc; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
    )
  })

  test('over TLS is of this host alone, and none that plain HTTP could have set counts', () => {
    const secure = 'https://hub.example.test'
    expect(setCookie('owner', 'abc', secure)).toBe(
      '__Host-knowtation_owner_443=abc; Path=/; HttpOnly; SameSite=Strict; Secure',
    )
    expect(setCookie('owner', 'abc', `${secure}:8443`)).toContain('__Host-knowtation_owner_8443=abc;')
    expect(findCookie('owner', request({ cookie: '__Host-knowtation_owner_443=abc' }), secure)).toBe('abc')
    expect(findCookie('owner', request({ cookie: 'knowtation_owner_443=abc' }), secure)).toBeUndefined()
    expect(findCookie('owner', request({ cookie: '__Host-knowtation_owner_4747=abc' }), OWN)).toBeUndefined()
  })
})

test.each([
  ['GET', {}, true],
  ['HEAD', {}, true],
  // Without a word of where it comes from it is no browser's.
  ['POST', {}, true],
  ['GET', { 'sec-fetch-site': 'none' }, true],
  ['POST', { 'sec-fetch-site': 'none' }, false],
  ['POST', { 'sec-fetch-site': 'none', origin: OWN }, false],
  ['GET', { 'sec-fetch-site': 'same-origin' }, true],
  // A browser that tells the site tells the origin, too, of whatever changes something.
  ['POST', { 'sec-fetch-site': 'same-origin' }, false],
  ['POST', { 'sec-fetch-site': 'same-origin', origin: OWN }, true],
  ['GET', { 'sec-fetch-site': 'same-site' }, false],
  ['GET', { 'sec-fetch-site': 'cross-site' }, false],
  ['POST', { 'sec-fetch-site': 'same-site', origin: OWN }, false],
  ['POST', { origin: OWN }, true],
  ['POST', { origin: 'http://name.localhost:4748' }, false],
  ['POST', { origin: 'https://name.localhost:4747' }, false],
  ['GET', { origin: 'null' }, false],
])('%s with %o comes from a page of our own: %s', (method, headers, isOwn) => {
  const cookie = 'knowtation_owner_4747=abc'
  expect(isSameOrigin(request(headers, method), OWN)).toBe(isOwn)
  expect(findOwnSession(request({ ...headers, cookie }, method), OWN)).toBe(isOwn ? 'abc' : undefined)
})

test('a request without a method is taken for one that reads, one of another address for none of ours', () => {
  expect(isSameOrigin(request({ 'sec-fetch-site': 'none' }), OWN)).toBe(true)
  expect(isSameOrigin({ headers: { origin: OWN } } as IncomingMessage, 'http://localhost:4747')).toBe(false)
})
