import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { describe, expect, test } from 'vitest'
import { findCallbackFault } from './callback-url.ts'

describe('an address for events', () => {
  test.each([
    'https://example.org/hook?x=1',
    'https://example.org:8443/',
    'https://93.184.216.34/',
    'https://[2606:2800:220:1::1]/',
    'http://localhost:9000/a',
    'http://127.0.0.1:9000/',
    'http://127.0.0.1:79/',
    'http://[::1]:9000/',
    'https://localhost:9000/',
  ])('may be %s', (url) => expect(findCallbackFault(url)).toBeUndefined())

  test.each([
    '',
    'nonsense',
    'http://example.org/',
    'http://localhost.example.org:9000/',
    'ftp://localhost:9000/',
    'file:///etc/passwd',
    'data:text/plain,x',
    'https://user@example.org/',
    'https://user:word@example.org/',
    'https://localhost:9000@example.org/',
    'https://example.org/#part',
    'https://example.org:0/',
    'https://example.org:22/',
    'https://example.org:25/',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/',
    'https://100.64.0.1/',
    'https://0.0.0.0/',
    'https://0/',
    'https://127.0.0.2/',
    'https://127.1.1.1/',
    'https://0xa000001/',
    'https://167772161/',
    'https://012.0.0.1/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fe80::1]/',
    'https://[fc00::1]/',
    `https://example.org/${'x'.repeat(2_048)}`,
  ])('may not be %s', (url) => expect(findCallbackFault(url)).toEqual(expect.any(String)))

  test('on loopback is not for callers from elsewhere', () => {
    for (const url of ['http://localhost:9000/', 'http://127.0.0.1:9000/', 'https://[::1]:9000/'])
      expect([findCallbackFault(url), findCallbackFault(url, { hosted: true })]).toEqual([
        undefined,
        expect.any(String),
      ])
    expect(findCallbackFault('https://example.org/', { hosted: true })).toBeUndefined()
  })

  test('that is written out is public by the judgement of another library too', () => {
    const four = fc.ipV4().map((address) => [address, `https://${address}/`] as const)
    const six = fc.ipV6().map((address) => [address, `https://[${address}]/`] as const)
    fc.assert(
      fc.property(fc.oneof(four, six), ([address, url]) => {
        if (findCallbackFault(url) !== undefined) return
        const parsed = ipaddr.process(address)
        const isPlainLoopback = ['127.0.0.1', '::1'].includes(parsed.toString())
        expect(isPlainLoopback ? 'unicast' : parsed.range()).toBe('unicast')
      }),
      { numRuns: 2_000 },
    )
  })
})
