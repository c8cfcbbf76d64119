import { Refusal } from '../../operations/errors.ts'
import type { HubConfig } from '../../platform/policy/hub-config.ts'

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]'])
const LOOPBACK_ADDRESS = /^(::1|127\.\d+\.\d+\.\d+|::ffff:127\.\d+\.\d+\.\d+)$/

/** What a request's Host says about where it came from. Forwarded headers never count. */
export interface Arrival {
  readonly loopback: boolean
  /** Why the request may not come in at all. */
  readonly refused: Refusal | undefined
}

/**
 * Judges Host and Origin before anything else is read. A page that a browser was tricked into sending
 * here carries its own host name or origin and stops at this point (DNS rebinding).
 */
export function judgeArrival(
  request: { host: string | undefined; origin: string | undefined; address: string },
  config: HubConfig,
): Arrival {
  const { name, port } = splitHost(request.host ?? '')
  // A loopback name from another machine is a lie.
  const loopback = LOOPBACK_NAMES.has(name) && LOOPBACK_ADDRESS.test(request.address)
  const pinned = !LOOPBACK_NAMES.has(name) && config.hosted_hostnames.includes(name)
  if (!loopback && !pinned) return { loopback, refused: new Refusal('HOST_DENIED') }
  const ownOrigin = request.origin === undefined || isOwnOrigin(request.origin, loopback, name, port, config)
  return { loopback, refused: ownOrigin ? undefined : new Refusal('ORIGIN_DENIED') }
}

function isOwnOrigin(
  origin: string,
  loopback: boolean,
  name: string,
  port: string,
  config: HubConfig,
): boolean {
  if (config.allowed_origins.includes(origin)) return true
  if (!loopback) return origin === `https://${name}`
  const own = [...LOOPBACK_NAMES].map((host) => `http://${host}${port}`)
  return own.includes(origin)
}

function splitHost(host: string): { name: string; port: string } {
  const match = /^(\[[0-9a-f:.]+\]|[^:]+)(:\d{1,5})?$/i.exec(host)
  return { name: (match?.[1] ?? '').toLowerCase(), port: match?.[2] ?? '' }
}
