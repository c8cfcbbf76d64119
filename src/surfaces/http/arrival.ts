import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { Refusal } from '../../operations/errors.ts'
import type { HubConfig } from '../../platform/policy/hub-config.ts'
import { addressSet } from '../../platform/upstream/http/address-set.ts'

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]'])
const LOOPBACK_ADDRESS = /^(::1|127\.\d+\.\d+\.\d+|::ffff:127\.\d+\.\d+\.\d+)$/

/** What a request's Host says about where it came from. Forwarded headers count only from proxies that the owner named. */
export interface Arrival {
  readonly loopback: boolean
  /** Whether it came under a name of the owner's pages: the one of this machine, or the public one. */
  readonly named: boolean
  /** Why the request may not come in at all. */
  readonly refused: Refusal | undefined
  /** Where it came from, as far as is known. */
  readonly address: string
}

/** Headers that say who calls whom: two of one kind would let two readers see two requests. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'origin',
  'authorization',
  'content-type',
  'x-vault-id',
  'x-flow-external-bearer',
  'x-flow-grant-id',
  'x-forwarded-proto',
])
/** What proxies add to whatever they pass on. */
const PROXY_HEADERS = [
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-real-ip',
  'forwarded',
  'via',
]
/** Proxies in a row at most; what stands further back in the list is not looked at. */
const HOPS_LIMIT = 16

/** What a request says of itself before anything of it is believed. */
export interface RequestHead {
  readonly headers: IncomingHttpHeaders
  /** The request's target as it stood in its first line. */
  readonly target: string | undefined
  /** Names and values by turns, repeated ones included. */
  readonly rawHeaders: readonly string[]
  /** The other end of the connection. */
  readonly address: string
  /** Whether the connection is the hub's own TLS. */
  readonly tls: boolean
}

export type JudgeArrival = (request: RequestHead, owner_name: string | undefined) => Arrival

/**
 * Judges Host and Origin before anything else is read. A page that a browser was tricked into sending
 * here carries its own host name or origin and stops at this point (DNS rebinding).
 */
export function arrivalJudge(config: HubConfig): JudgeArrival {
  const isTrusted = addressSet(config.trusted_proxies)
  const public_host = config.public_url === undefined ? undefined : new URL(config.public_url).host
  return (request, owner_name) => {
    const { headers, tls } = request
    const { host = '', origin } = headers
    const { name, port } = splitHost(host)
    const peer = request.address.replace(/^::ffff:(?=\d+\.)/, '')
    const isProxy = isTrusted(peer)
    // A loopback name from another machine is a lie, and so is one that a proxy hands on for somebody else.
    const isHere = LOOPBACK_ADDRESS.test(request.address) && !tls && !(isProxy && isPassedOn(headers))
    const isOwners = name === owner_name && isHere
    const loopback = isOwners || (LOOPBACK_NAMES.has(name) && isHere)
    const isPublic =
      host.toLowerCase() === public_host && (tls || (isProxy && headers['x-forwarded-proto'] === 'https'))
    const isPinned =
      !LOOPBACK_NAMES.has(name) && name !== owner_name && config.hosted_hostnames.includes(name)
    const address = isProxy && !loopback ? clientOf(headers, peer, isTrusted) : request.address
    const arrival = { loopback, named: isOwners || isPublic, address }
    const refuse = (refused: Refusal | undefined) => ({ ...arrival, refused })
    if (hasRepeatedHeader(request.rawHeaders)) return refuse(REPEATED)
    const scheme = loopback ? 'http' : 'https'
    if (!(loopback || isPublic || isPinned) || !isTargetOf(request.target, host, isPublic ? scheme : 'http'))
      return refuse(new Refusal('HOST_DENIED'))
    const place = { scheme, name: isPublic ? host.toLowerCase() : name, port }
    const isOwn = origin === undefined || isOwnOrigin(origin, place, config)
    return refuse(isOwn ? undefined : new Refusal('ORIGIN_DENIED'))
  }
}

function isPassedOn(headers: IncomingHttpHeaders): boolean {
  return PROXY_HEADERS.some((name) => headers[name] !== undefined)
}

/** The nearest address in the list that no trusted proxy has; where the list ends or is none, the last that is known. */
function clientOf(
  headers: IncomingHttpHeaders,
  peer: string,
  isTrusted: (address: string) => boolean,
): string {
  const hops = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .slice(-HOPS_LIMIT)
  let known = peer
  for (const hop of hops.toReversed().map((text) => text.trim())) {
    if (isIP(hop) === 0) return known
    known = hop
    if (!isTrusted(hop)) return known
  }
  return known
}

const REPEATED = new Refusal('BAD_REQUEST', 'A header that may stand once is repeated.')

function hasRepeatedHeader(rawHeaders: readonly string[]): boolean {
  const seen: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase()
    if (!SINGLE_HEADERS.has(name)) continue
    if (seen.includes(name)) return true
    seen.push(name)
  }
  return false
}

/** A target that names a host (as requests to a proxy do) must name the one that Host names. */
function isTargetOf(target = '', host: string, scheme: string): boolean {
  if (target.startsWith('/') || target === '*') return true
  const [, given, authority] = /^(\w+):\/\/([^/?#]*)/.exec(target) ?? []
  return given?.toLowerCase() === scheme && authority?.toLowerCase() === host.toLowerCase()
}

interface Place {
  readonly scheme: string
  readonly name: string
  readonly port: string
}

/** A name other than the usual ones of this machine has pages of its own, and takes requests of no others. */
function isOwnOrigin(origin: string, { scheme, name, port }: Place, config: HubConfig): boolean {
  if (config.allowed_origins.includes(origin)) return true
  if (scheme === 'https') return origin === `https://${name}`
  const names = LOOPBACK_NAMES.has(name) ? [...LOOPBACK_NAMES] : [name]
  return names.some((host) => origin === `http://${host}${port}`)
}

function splitHost(host: string): { name: string; port: string } {
  const match = /^(\[[0-9a-f:.]+\]|[^:]+)(:\d{1,5})?$/i.exec(host)
  return { name: (match?.[1] ?? '').toLowerCase(), port: match?.[2] ?? '' }
}
