import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { Agent } from 'undici'
import type { Hub } from '../../../operations/hub.ts'
import { partOf } from '../../../platform/basics/part-of.ts'
import { isCredentialHeader } from '../../../platform/upstream/credentials.ts'
import { type AddressRule, addressRule } from '../../../platform/upstream/http/address-rules.ts'
import { type Agents, guardedAgents } from '../../../platform/upstream/http/guarded-agent.ts'
import { type SafeFetch, type SourceAnswer, SourceFault } from './connector.ts'
import { readAnswer, type WebAnswer } from './read-answer.ts'
import { asSourceFault } from './source-faults.ts'

/** Read of one answer at most, unless the collector asks for less. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024
/** From the first byte sent to the last one read, redirects included. */
const ANSWER_TIMEOUT_MS = 60_000
const MAX_REDIRECTS = 5
const MAX_URL_CHARS = 4_096
const MAX_ADDRESSES = 64
const USER_AGENT = 'knowtation'
// No address is named by the url itself: what may be reached is only what the configuration says.
const NOWHERE = 'https://sources.invalid'
const EVERYWHERE = ['0.0.0.0/0', '::/0']

/** Where a hub may look for sources, and how names are turned into addresses. */
export interface SourceReach {
  readonly allow_addresses: readonly string[]
  readonly lookup?: LookupFunction
  readonly timeout_ms?: number
}

/** Opens the way to sources for one run; its connections are kept by the hub until it closes. */
export function openSafeFetch(hub: Hub, signal: AbortSignal): SafeFetch {
  const allowed = hub.config.control.allow_private_sources
  const allow_addresses = allowed === true ? EVERYWHERE : allowed === false ? [] : allowed
  return safeFetch(partOf(hub, openAgents), { allow_addresses }, signal)
}

/** The same for what a stranger names: whatever the owner allows sources, it reaches public addresses alone. */
export function openPublicFetch(hub: Hub, signal: AbortSignal): SafeFetch {
  return safeFetch(partOf(hub, openAgents), { allow_addresses: [] }, signal)
}

function openAgents(hub: Hub): Agents {
  const agents = guardedAgents()
  hub.closing.push(() => agents.close())
  return agents
}

/** The same on connections of the caller's own. */
export function safeFetch(agents: Agents, reach: SourceReach, signal: AbortSignal): SafeFetch {
  const rule = addressRule(NOWHERE, reach.allow_addresses)
  const fetch = async (url: string, options: Parameters<SafeFetch>[1] = {}): Promise<SourceAnswer> => {
    const timeout = AbortSignal.timeout(reach.timeout_ms ?? ANSWER_TIMEOUT_MS)
    const agent = agents.agentFor(NOWHERE, reach.allow_addresses)
    const request: WebQuestion = {
      url: sourceUrl(url),
      method: options.method ?? 'GET',
      headers: {
        'user-agent': USER_AGENT,
        'accept-encoding': 'gzip, br, deflate',
        ...lowerCaseNames(options.headers ?? {}),
      },
      body: options.body,
      max_bytes: Math.min(options.max_bytes ?? MAX_ANSWER_BYTES, MAX_ANSWER_BYTES),
      signal: AbortSignal.any([signal, timeout]),
    }
    try {
      return await follow(agent, request)
    } catch (error) {
      signal.throwIfAborted()
      throw timeout.aborted ? tooSlow() : asSourceFault(error)
    }
  }
  const locate = (hostname: string) => locateHost(hostname, rule, reach.lookup, signal)
  return Object.assign(fetch, { locate })
}

interface WebQuestion {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly max_bytes: number
  readonly signal: AbortSignal
}

async function follow(agent: Agent, first: WebQuestion): Promise<SourceAnswer> {
  let request = first
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const answer = await ask(agent, request)
    const next = findRedirect(request, answer)
    if (!next) return await readAnswer(answer, request.url.href, request.max_bytes)
    answer.body.destroy()
    request = next
  }
  throw new SourceFault('bad_answer', `The source led on more than ${MAX_REDIRECTS} times.`)
}

async function ask(agent: Agent, { url, method, headers, body, signal }: WebQuestion): Promise<WebAnswer> {
  const path = url.pathname + url.search
  const {
    statusCode,
    headers: given,
    body: stream,
  } = await agent.request({
    origin: url.origin,
    path,
    method,
    headers,
    body: body ?? null,
    signal,
  })
  // An answer that is cut off tells its reader; without this one that nobody reads would end the process.
  stream.on('error', () => {})
  return { status: statusCode, headers: given, body: stream }
}

/** Where to ask next. What was posted is posted nowhere else: the answer stands as it is. */
function findRedirect(request: WebQuestion, { status, headers }: WebAnswer): WebQuestion | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || request.method !== 'GET') return undefined
  const url = URL.parse(String(headers.location ?? ''), request.url.href)
  if (!url) throw new SourceFault('bad_answer', 'The source led to an address that is none.')
  checkWebAddress(url)
  if (url.protocol === 'http:' && request.url.protocol === 'https:') {
    throw new SourceFault('refused', 'The source led from https to http.')
  }
  if (url.origin === request.url.origin) return { ...request, url }
  const open = Object.entries(request.headers).filter(([name]) => !isCredential(name))
  return { ...request, url, headers: Object.fromEntries(open) }
}

const isCredential = (name: string): boolean =>
  name !== 'accept-encoding' && !name.startsWith('if-') && isCredentialHeader(name, undefined)

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function sourceUrl(text: string): URL {
  const url = text.length <= MAX_URL_CHARS ? URL.parse(text) : null
  if (!url) throw new SourceFault('refused', 'That is not the address of a source.')
  checkWebAddress(url)
  return url
}

function checkWebAddress(url: URL): void {
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  if (!isWeb) throw new SourceFault('refused', 'Sources are asked over https or http alone.')
  if (url.username !== '' || url.password !== '') {
    throw new SourceFault('refused', 'The address of a source holds no user and no password.')
  }
}

async function locateHost(
  hostname: string,
  rule: AddressRule,
  lookup: LookupFunction = systemLookup as LookupFunction,
  signal: AbortSignal,
): Promise<string> {
  const name = hostname.replace(/^\[|\]$/g, '')
  const found = isIP(name) ? [name] : await addressesOf(name, lookup)
  signal.throwIfAborted()
  // One closed address among open ones is a name that should not be trusted at all.
  if (found.length > 0 && found.every((address) => rule(address, name, ''))) return found[0] as string
  throw new SourceFault('refused', 'The source lies at an address that this hub may not reach.')
}

function addressesOf(name: string, lookup: LookupFunction): Promise<string[]> {
  return new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, found) => {
      if (error) return reject(new SourceFault('unreachable', 'The name of the source is not known.'))
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address)
      resolve(addresses.slice(0, MAX_ADDRESSES))
    })
  })
}

function tooSlow(): SourceFault {
  return new SourceFault('unreachable', 'The source did not answer in time.')
}
