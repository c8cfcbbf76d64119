import type { IncomingHttpHeaders } from 'node:http'
import { expect, test } from 'vitest'
import { makeTestHome } from '../../../test/harness/test-hub.ts'
import { verifies } from '../../../test/requirements/verifies.ts'
import { readHubConfig } from '../../platform/policy/hub-config.ts'
import { arrivalJudge } from './arrival.ts'

type Sent = { host: string } & Pick<IncomingHttpHeaders, 'origin' | 'via' | 'forwarded'> & {
    readonly [header: `x-${string}`]: string | undefined
    readonly address: string
    readonly tls?: boolean
    readonly target?: string
  }

/** What a hub with these settings takes a request for: its place, and where it comes from. */
async function judged(settings: object) {
  await using home = await makeTestHome({ config: settings })
  const judge = arrivalJudge(readHubConfig(home.home))
  return ({ address, tls = false, target = '/', ...headers }: Sent) => {
    const rawHeaders = Object.entries(headers).flatMap(([name, value]) => [name, value as string])
    const arrival = judge({ headers, target, rawHeaders, address, tls }, 'kn-0.localhost')
    const { loopback, named, refused } = arrival
    if (refused) return refused.code
    return `${loopback ? 'loopback' : named ? 'public' : 'hosted'} ${arrival.address}`
  }
}

verifies(
  ['GATE-134', 'GATE-135'],
  'a loopback name counts only where it comes from this machine',
  async () => {
    const take = await judged({ hosted_hostnames: ['api.knowtation.store', 'localhost'] })
    for (const host of ['127.0.0.1', '127.0.0.1:4747', 'localhost', 'LOCALHOST:80', '[::1]']) {
      for (const address of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])
        expect([host, address, take({ host, address })]).toEqual([host, address, `loopback ${address}`])
      // Nor does it become a hosted name, whatever the configuration lists.
      for (const address of [
        '192.0.2.7',
        '10.0.0.1',
        '::',
        '2001:db8::1',
        '::ffff:192.0.2.7',
        '1127.0.0.1',
        '',
      ])
        expect([host, address, take({ host, address })]).toEqual([host, address, 'HOST_DENIED'])
    }
    for (const address of ['127.0.0.1', '192.0.2.7'])
      expect(take({ host: 'api.knowtation.store', address })).toBe(`hosted ${address}`)
  },
)

const PUBLIC = {
  public_url: 'https://hub.example.test',
  trusted_proxies: ['10.0.0.0/24', '127.0.0.1', '2001:db8::/32'],
}
const FROM_PROXY = { host: 'hub.example.test', address: '10.0.0.1', 'x-forwarded-proto': 'https' } as const

verifies(
  ['GATE-134', 'GATE-135'],
  'the public name counts from a trusted proxy that speaks TLS, and from nowhere else',
  async () => {
    const take = await judged(PUBLIC)
    expect(take(FROM_PROXY)).toBe('public 10.0.0.1')
    expect(take({ ...FROM_PROXY, address: '::ffff:10.0.0.1' })).toBe('public 10.0.0.1')
    expect(take({ ...FROM_PROXY, host: 'HUB.Example.Test' })).toBe('public 10.0.0.1')
    for (const address of ['10.0.1.1', '192.0.2.7', '::1', '', '10.0.0.1.evil'])
      expect([address, take({ ...FROM_PROXY, address })]).toEqual([address, 'HOST_DENIED'])
    for (const proto of ['http', 'HTTPS', 'https,http', 'https, https', '', undefined])
      expect([proto, take({ ...FROM_PROXY, 'x-forwarded-proto': proto })]).toEqual([proto, 'HOST_DENIED'])
    const hosts = [
      'hub.example.test.',
      'hub.example.test:443',
      'hub.example.test:8443',
      'hub.example.test:',
      'a.hub.example.test',
    ]
    hosts.push(
      'hub.example.test.evil.com',
      'evil.com@hub.example.test',
      'hub.example.test/',
      ' hub.example.test',
      'hub.example.test,x',
    )
    // Letters that look alike, as they are and as browsers send them.
    hosts.push(
      'hub.ex\u0430mple.test',
      'xn--hub-8cd.example.test',
      'hub\u3002example.test',
      'hub.example.test\u0000',
    )
    for (const host of hosts) expect([host, take({ ...FROM_PROXY, host })]).toEqual([host, 'HOST_DENIED'])
  },
)

test('a proxy makes nobody local: a loopback name that was passed on is refused', async () => {
  const take = await judged(PUBLIC)
  expect(take({ host: 'localhost', address: '127.0.0.1' })).toBe('loopback 127.0.0.1')
  for (const host of ['localhost', '127.0.0.1:4747', '[::1]', 'kn-0.localhost'])
    for (const header of [
      'x-forwarded-for',
      'x-forwarded-proto',
      'x-forwarded-host',
      'x-real-ip',
      'forwarded',
      'via',
    ])
      expect([header, take({ host, address: '127.0.0.1', [header]: 'https' })]).toEqual([
        header,
        'HOST_DENIED',
      ])
  const tls = await judged({ public_url: PUBLIC.public_url, tls: { cert: '/x', key: '/x' } })
  for (const host of ['localhost', '127.0.0.1', 'kn-0.localhost'])
    expect(tls({ host, address: '127.0.0.1', tls: true })).toBe('HOST_DENIED')
})

test("over the hub's own TLS the public name counts, and what the client says of others does not", async () => {
  const take = await judged({ public_url: 'https://hub.example.test:8443', tls: { cert: '/x', key: '/x' } })
  const sent = { host: 'hub.example.test:8443', address: '192.0.2.7', tls: true }
  expect(take(sent)).toBe('public 192.0.2.7')
  expect(take({ ...sent, 'x-forwarded-for': '127.0.0.1' })).toBe('public 192.0.2.7')
  expect(take({ ...sent, tls: false, 'x-forwarded-proto': 'https' })).toBe('HOST_DENIED')
  for (const host of [
    'hub.example.test',
    'hub.example.test:443',
    'hub.example.test:08443',
    'HUB.EXAMPLE.TEST:8443.',
  ])
    expect([host, take({ ...sent, host })]).toEqual([host, 'HOST_DENIED'])
})

test('addresses are taken from trusted proxies, nearest first', async () => {
  const take = await judged(PUBLIC)
  const from = (list: string, address = '10.0.0.1') =>
    take({ ...FROM_PROXY, address, 'x-forwarded-for': list })
  expect(from('192.0.2.7')).toBe('public 192.0.2.7')
  // What a client made up stands before what the proxy has added.
  expect(from('127.0.0.1, 203.0.113.9, 192.0.2.7')).toBe('public 192.0.2.7')
  expect(from('203.0.113.9, 192.0.2.7, 10.0.0.9')).toBe('public 192.0.2.7')
  expect(from('2001:db8::5,2001:470::1, 2001:db8::9 ')).toBe('public 2001:470::1')
  for (const odd of ['', 'unknown', '192.0.2.7:80', '[::1]', '192.0.2.7, _x', '192.0.2.7,'])
    expect([odd, from(odd)]).toEqual([odd, 'public 10.0.0.1'])
  expect(from(Array(1_000).fill('10.0.0.2').join())).toBe('public 10.0.0.2')
  const pinned = { host: 'api.knowtation.store', 'x-forwarded-for': '192.0.2.7' } as const
  expect(take({ ...pinned, address: '10.0.0.1' })).toBe('hosted 192.0.2.7')
  expect(take({ ...pinned, address: '198.51.100.4' })).toBe('hosted 198.51.100.4')
})

test('a target that names a host names the public one with its scheme, and so does an origin', async () => {
  const take = await judged(PUBLIC)
  const fits = (target: string) => take({ ...FROM_PROXY, target })
  expect(fits('https://hub.example.test/owner')).toBe('public 10.0.0.1')
  for (const target of [
    'http://hub.example.test/',
    'https://localhost/',
    'https://hub.example.test@localhost/',
    'https://hub.example.test:443/',
    'hub.example.test',
    'https:/owner',
    '',
  ])
    expect([target, fits(target)]).toEqual([target, 'HOST_DENIED'])
  const by = (origin: string) => take({ ...FROM_PROXY, origin })
  expect(by('https://hub.example.test')).toBe('public 10.0.0.1')
  for (const origin of [
    'http://hub.example.test',
    'https://hub.example.test:8443',
    'https://hub.example.test.',
    'http://localhost:4747',
    'null',
    'https://HUB.example.test',
  ])
    expect([origin, by(origin)]).toEqual([origin, 'ORIGIN_DENIED'])
})

/** What is wrong with a hub's settings beside those above. */
function fault(settings: object): Promise<string> {
  return judged({ ...PUBLIC, ...settings }).then(
    () => 'fine',
    (error: Error) => error.message,
  )
}

test('a public address that could mean another is refused at the start', async () => {
  for (const public_url of [
    'https://hub.example.test/',
    'https://hub.example.test:8443',
    'https://xn--hb-eka.example.test',
  ])
    expect([public_url, await fault({ public_url })]).toEqual([public_url, 'fine'])
  const wrong = [
    'http://hub.example.test',
    'https://HUB.example.test',
    'https://hub.example.test.',
    'https://hub.example.test:443',
    'https://hub.example.test/x',
  ]
  wrong.push(
    'https://a@hub.example.test',
    'https://hub.example.test?',
    'https://localhost',
    'https://x.localhost',
    'https://127.0.0.1',
    'https://[::1]',
  )
  wrong.push(
    'https://192.0.2.7',
    'https://h\u00fcb.example.test',
    'hub.example.test',
    '',
    'https://-',
    'https://0x7f.1',
    'https://a..b',
    'https://a_b.test',
  )
  for (const public_url of wrong)
    expect([public_url, await fault({ public_url })]).toEqual([
      public_url,
      expect.stringContaining('public_url'),
    ])
  expect(await fault({ trusted_proxies: [] })).toContain('needs tls')
  expect(await fault({ hosted_hostnames: ['hub.example.test'] })).toContain('one meaning')
  expect(await fault({ public_url: undefined, tls: { cert: '/x', key: '/x' } })).toContain('needs public_url')
  for (const proxy of ['localhost', '10.0.0.0/33', '*', '10.0.0'])
    expect(await fault({ trusted_proxies: [proxy] })).toContain('trusted_proxies')
})
