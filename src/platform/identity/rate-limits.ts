import { isIPv6 } from 'node:net'
import type { HubConfig } from '../policy/hub-config.ts'

/** Addresses and credentials counted at once; the oldest count is forgotten first. */
const COUNTED_LIMIT = 10_000
const WINDOW_MS = 60_000

export interface RateLimits {
  /** Counts a failed authentication. Answers the seconds to wait when the address had too many. */
  failedAuthentication(address: string): number
  /** Counts a call of a credential. Answers the seconds to wait when it had too many. */
  call(credential: string): number
  /** Counts a try at something that could be guessed. Answers the seconds to wait when there were too many. */
  attempt(what: Attempt, address: string): number
}

/** Tries per address and minute, the good ones included: guesses made at the same time count one by one. */
const ATTEMPTS_PER_MINUTE = { sign_in: 10, user_code: 10, device_request: 20 } as const
export type Attempt = keyof typeof ATTEMPTS_PER_MINUTE

/** Counts per minute. Only the owner's configuration limits calls that succeed. */
export function rateLimits(config: HubConfig['rate_limits'], now: () => Date): RateLimits {
  const failures = windowCounter(config.failed_authentications_per_minute, now)
  const calls = config.calls_per_minute ? windowCounter(config.calls_per_minute, now) : () => 0
  const attempts = {
    sign_in: windowCounter(ATTEMPTS_PER_MINUTE.sign_in, now),
    user_code: windowCounter(ATTEMPTS_PER_MINUTE.user_code, now),
    device_request: windowCounter(ATTEMPTS_PER_MINUTE.device_request, now),
  }
  return {
    failedAuthentication: (address) => failures(placeOf(address)),
    call: calls,
    attempt: (what, address) => attempts[what](placeOf(address)),
  }
}

const LOOPBACK = /^(?:::ffff:)?127\./i

/**
 * Where a caller sits, as far as an address tells. Whoever is on this machine may call from any address of
 * 127.0.0.0/8, and whoever has one IPv6 address mostly has the whole /64 around it: neither gets more tries.
 */
function placeOf(address: string): string {
  if (address === '::1' || LOOPBACK.test(address)) return 'loopback'
  if (!isIPv6(address) || address.includes('.')) return address
  const [head = '', tail] = address.replace(/%.*/, '').toLowerCase().split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail ? tail.split(':') : []
  const middle = Array<string>(tail === undefined ? 0 : 8 - front.length - back.length).fill('0')
  return [...front, ...middle, ...back].slice(0, 4).join(':')
}

/** Counts per key and minute; answers the seconds to wait once there were more than `limit`. */
export function windowCounter(limit: number, now: () => Date): (key: string) => number {
  const windows = new Map<string, { opened_at: number; count: number }>()
  return (key) => {
    const time = now().getTime()
    let window = windows.get(key)
    if (!window || time - window.opened_at >= WINDOW_MS || time < window.opened_at) {
      windows.delete(key)
      windows.set(key, (window = { opened_at: time, count: 0 }))
      if (windows.size > COUNTED_LIMIT) windows.delete(windows.keys().next().value as string)
    }
    window.count++
    return window.count <= limit ? 0 : Math.ceil((window.opened_at + WINDOW_MS - time) / 1_000)
  }
}
