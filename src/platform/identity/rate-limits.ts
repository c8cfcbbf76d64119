import { isIPv6 } from 'node:net'
import type { HubConfig } from '../policy/hub-config.ts'

/** Addresses and credentials counted at once; the oldest count is forgotten first. */
const COUNTED_LIMIT = 10_000
const WINDOW_MS = 60_000
/** Under the public name an address may be wrong this many times less often. */
const PUBLIC_SHARE = 3

export interface RateLimits {
  /** Counts a failed authentication. Answers the seconds to wait when the address had too many. */
  failedAuthentication(address: string, isPublic?: boolean): number
  /** Counts a call of a credential. Answers the seconds to wait when it had too many. */
  call(credential: string): number
  /** The seconds that a credential has to wait before its next call is taken. It counts nothing. */
  wait(credential: string): number
}

/** Counts per minute. Only the owner's configuration limits calls that succeed. */
export function rateLimits(config: HubConfig['rate_limits'], now: () => Date): RateLimits {
  const limit = config.failed_authentications_per_minute
  const failures = windowCounter(limit, now)
  const public_failures = windowCounter(Math.ceil(limit / PUBLIC_SHARE), now)
  const calls = windowCounter(config.calls_per_minute ?? Number.POSITIVE_INFINITY, now)
  return {
    failedAuthentication: (address, isPublic) => (isPublic ? public_failures : failures)(placeOf(address)),
    call: calls,
    wait: calls.wait,
  }
}

const LOOPBACK = /^(?:::ffff:)?127\./i

/**
 * Where a caller sits, as far as an address tells. Whoever is on this machine may call from any address of
 * 127.0.0.0/8, and whoever has one IPv6 address mostly has the whole /64 around it: neither gets more tries.
 */
export function placeOf(address: string): string {
  if (address === '::1' || LOOPBACK.test(address)) return 'loopback'
  if (!isIPv6(address) || address.includes('.')) return address
  const [head = '', tail] = address.replace(/%.*/, '').toLowerCase().split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail ? tail.split(':') : []
  const middle = Array<string>(tail === undefined ? 0 : 8 - front.length - back.length).fill('0')
  return [...front, ...middle, ...back].slice(0, 4).join(':')
}

/** Counts per key and minute; answers the seconds to wait once there were more than `limit`. */
export function windowCounter(limit: number, now: () => Date): WindowCounter {
  const windows = new Map<string, Window>()
  const find = (key: string, time: number) => {
    const window = windows.get(key)
    return window && time - window.opened_at < WINDOW_MS && time >= window.opened_at ? window : undefined
  }
  const wait = (window: Window, time: number) => Math.ceil((window.opened_at + WINDOW_MS - time) / 1_000)
  const count = (key: string) => {
    if (limit === Number.POSITIVE_INFINITY) return 0
    const time = now().getTime()
    let window = find(key, time)
    if (!window) {
      windows.delete(key)
      windows.set(key, (window = { opened_at: time, count: 0 }))
      if (windows.size > COUNTED_LIMIT) windows.delete(windows.keys().next().value as string)
    }
    window.count++
    return window.count <= limit ? 0 : wait(window, time)
  }
  return Object.assign(count, {
    wait(key: string) {
      const time = now().getTime()
      const window = find(key, time)
      return window && window.count >= limit ? wait(window, time) : 0
    },
  })
}

interface Window {
  readonly opened_at: number
  count: number
}

interface WindowCounter {
  (key: string): number
  /** The seconds to wait before the next is let through. It counts nothing. */
  wait(key: string): number
}
