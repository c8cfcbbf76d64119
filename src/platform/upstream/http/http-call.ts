import type { Credentials } from '../credentials.ts'
import type { Bounds } from '../deadline.ts'
import type { HttpProvider } from '../provider-policy.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { follow } from './follow.ts'
import type { Agents } from './guarded-agent.ts'
import { mediaType } from './response-body.ts'

const MAX_URL_CHARS = 8192

export interface HttpAnswer {
  kind: 'http'
  status: number
  content_type: string | null
  body: unknown
}

/**
 * Calls a plain web service. POST, PUT and PATCH carry the payload as a JSON body; GET and DELETE
 * carry it in the query, where it may add to the policy's own parameters but not repeat one.
 */
export async function callHttp(
  agents: Agents,
  provider: HttpProvider,
  credentials: Credentials,
  payload: Record<string, unknown>,
  { traceparent, ...bounds }: Bounds,
): Promise<HttpAnswer> {
  const has_body = provider.method !== 'GET' && provider.method !== 'DELETE'
  const reply = await follow(agents.agentFor(provider.url, provider.allow_addresses), {
    url: has_body ? new URL(provider.url) : withQuery(provider.url, payload),
    method: provider.method,
    headers: {
      ...(has_body && { 'content-type': 'application/json' }),
      ...(traceparent !== undefined && { traceparent }),
      ...lowerNames(credentials.values),
    },
    written: lowerNames(provider.headers),
    body: has_body ? JSON.stringify(payload) : undefined,
    limit_bytes: provider.max_output_bytes,
    ...bounds,
  })
  if (reply.status >= 400) throw new UpstreamFailure('http_status', true, reply.status)
  if (reply.status >= 300) throw new UpstreamFailure('protocol', true)
  const content_type = mediaType(reply.headers) ?? null
  return { kind: 'http', status: reply.status, content_type, body: readBody(content_type, reply.text) }
}

function withQuery(policy_url: string, payload: Record<string, unknown>): URL {
  const url = new URL(policy_url)
  const own = [...url.searchParams.keys()]
  const query = new URLSearchParams(url.searchParams)
  let chars = url.href.length
  for (const [name, text] of queryParts(payload)) {
    if (own.some((one) => mayBeOne(one, name))) throw new UpstreamFailure('protocol', false)
    // What is far too long is not put together first: that would take longer with every part.
    chars += name.length + text.length + 2
    if (chars > MAX_URL_CHARS) throw new UpstreamFailure('too_large', false)
    query.append(name, text)
  }
  if (query.size > own.length) url.search = query.toString()
  if (url.href.length > MAX_URL_CHARS) throw new UpstreamFailure('too_large', false)
  return url
}

function* queryParts(payload: Record<string, unknown>): Generator<[name: string, text: string]> {
  for (const [name, value] of Object.entries(payload))
    for (const item of Array.isArray(value) ? value : [value]) yield [name, queryText(item)]
}

/**
 * Whether a service may take one name of a parameter for the other. Many fold its case, take `a[]` and `a[b]` for
 * parts of `a`, stop at a NUL, or read other signs as `_`: what the policy has set must not be set anew like that.
 */
function mayBeOne(own: string, given: string): boolean {
  const [one, other] = [own, given].map((name) => name.toLowerCase().replace(/\0.*$/s, '').trim()) as [
    string,
    string,
  ]
  return inPlainSigns(one) === inPlainSigns(other) || isPartOf(partsOf(one), partsOf(other))
}

function inPlainSigns(name: string): string {
  return name.replace(/[^\p{L}\p{N}]/gu, '_')
}

function partsOf(name: string): string[] {
  return name.replaceAll(']', '').split(/[[.]/).map(inPlainSigns)
}

/** Whether one is the other or holds it; what has no name of its own is any. */
function isPartOf(one: readonly string[], other: readonly string[]): boolean {
  const depth = Math.min(one.length, other.length)
  return one.slice(0, depth).every((part, at) => part === other[at] || part === '' || other[at] === '')
}

function queryText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function readBody(content_type: string | null, text: string): unknown {
  if (text === '' || !content_type?.endsWith('json')) return text
  try {
    return JSON.parse(text)
  } catch {
    throw new UpstreamFailure('protocol', true)
  }
}

/** Header names as the connection compares them. */
export function lowerNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
