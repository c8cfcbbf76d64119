import type { Credentials } from '../credentials.ts'
import type { Deadline, Progress } from '../deadline.ts'
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
  bounds: { deadline: Deadline; progress: Progress },
): Promise<HttpAnswer> {
  const has_body = provider.method !== 'GET' && provider.method !== 'DELETE'
  const reply = await follow(agents.agentFor(provider.url, provider.allow_addresses), {
    url: has_body ? new URL(provider.url) : withQuery(provider.url, payload),
    method: provider.method,
    headers: { ...(has_body && { 'content-type': 'application/json' }), ...lowerNames(credentials.values) },
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
  const own = new Set(url.searchParams.keys())
  for (const [name, value] of Object.entries(payload)) {
    if (own.has(name)) throw new UpstreamFailure('protocol', false)
    for (const item of Array.isArray(value) ? value : [value]) url.searchParams.append(name, queryText(item))
  }
  if (url.href.length > MAX_URL_CHARS) throw new UpstreamFailure('too_large', false)
  return url
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
