import { expect } from 'vitest'
import { verifies } from '../../../test/requirements/verifies.ts'
import { judgeArrival } from './arrival.ts'

const CONFIG = {
  hosted_hostnames: ['api.knowtation.store', 'localhost'],
  allowed_origins: [],
  rate_limits: { failed_authentications_per_minute: 30 },
  audit: { max_age_days: 90, max_records: 1_000_000 },
  control: { delete_connection: true, allow_private_sources: false },
}

/** What a request to this host is taken for when it comes from this address. */
function taken(host: string, address: string): string {
  const head = { host, origin: undefined, target: '/', rawHeaders: ['Host', host], address }
  const { loopback, refused } = judgeArrival(head, CONFIG)
  return refused ? refused.code : loopback ? 'loopback' : 'hosted'
}

verifies(['GATE-134', 'GATE-135'], 'a loopback name counts only where it comes from this machine', () => {
  for (const host of ['127.0.0.1', '127.0.0.1:4747', 'localhost', 'LOCALHOST:80', '[::1]']) {
    for (const address of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])
      expect([host, address, taken(host, address)]).toEqual([host, address, 'loopback'])
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
      expect([host, address, taken(host, address)]).toEqual([host, address, 'HOST_DENIED'])
  }
  for (const address of ['127.0.0.1', '192.0.2.7'])
    expect(taken('api.knowtation.store', address)).toBe('hosted')
})
