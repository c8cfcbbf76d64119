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

/** Headers that say who calls whom: two of one kind would let two readers see two requests. */
const SINGLE_HEADERS = [
  'host',
  'origin',
  'authorization',
  'content-type',
  'x-vault-id',
  'x-flow-external-bearer',
  'x-flow-grant-id',
]

/** What a request says of itself before anything of it is believed. */
export interface RequestHead {
  readonly host: string | undefined
  readonly origin: string | undefined
  /** The request's target as it stood in its first line. */
  readonly target: string | undefined
  /** Names and values by turns, repeated ones included. */
  readonly rawHeaders: readonly string[]
  readonly address: string
}

/**
 * Judges Host and Origin before anything else is read. A page that a browser was tricked into sending
 * here carries its own host name or origin and stops at this point (DNS rebinding).
 */
export function judgeArrival(request: RequestHead, config: HubConfig): Arrival {
  const { name, port } = splitHost(request.host ?? '')
  // A loopback name from another machine is a lie.
  const loopback = LOOPBACK_NAMES.has(name) && LOOPBACK_ADDRESS.test(request.address)
  const pinned = !LOOPBACK_NAMES.has(name) && config.hosted_hostnames.includes(name)
  if (hasRepeatedHeader(request.rawHeaders)) return { loopback: false, refused: REPEATED }
  if ((!loopback && !pinned) || !isTargetOf(request)) return { loopback, refused: new Refusal('HOST_DENIED') }
  const ownOrigin = request.origin === undefined || isOwnOrigin(request.origin, loopback, name, port, config)
  return { loopback, refused: ownOrigin ? undefined : new Refusal('ORIGIN_DENIED') }
}

const REPEATED = new Refusal('BAD_REQUEST', 'A header that may stand once is repeated.')

function hasRepeatedHeader(rawHeaders: readonly string[]): boolean {
  let seen = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const bit = bitOf(rawHeaders[at] as string)
    if ((seen & bit) !== 0) return true
    seen |= bit
  }
  return false
}

/** Clients spell a header the same way each time, so its meaning is kept by spelling. */
const bits = new Map<string, number>()
const SPELLINGS_LIMIT = 200

/** A bit of its own for each header that may stand once; none for any other. */
function bitOf(spelling: string): number {
  const known = bits.get(spelling)
  if (known !== undefined) return known
  const place = SINGLE_HEADERS.indexOf(spelling.toLowerCase())
  const bit = place < 0 ? 0 : 1 << place
  if (bits.size >= SPELLINGS_LIMIT) bits.clear()
  bits.set(spelling, bit)
  return bit
}

/** A target that names a host (as requests to a proxy do) must name the one that Host names. */
function isTargetOf({ target = '', host }: RequestHead): boolean {
  if (target.startsWith('/') || target === '*') return true
  return /^http:\/\/([^/?#]*)/i.exec(target)?.[1]?.toLowerCase() === host?.toLowerCase()
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
