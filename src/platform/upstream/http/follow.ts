import type { Dispatcher } from 'undici'
import { isCredentialHeader } from '../credentials.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { exchange, type WebReply, type WebRequest } from './exchange.ts'

const MAX_REDIRECTS = 3
const KEEPS_METHOD = new Set([307, 308])
const BECOMES_GET = new Set([301, 302, 303])

/**
 * Sends a request and follows where it is led, within the agent's address rule. Another origin gets no
 * credential, nor does anything come back to the first origin with one after such a detour.
 */
export async function follow(
  agent: Dispatcher,
  first: WebRequest,
  mode: 'any' | 'method_kept' = 'any',
): Promise<WebReply> {
  let request = first
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const reply = await exchange(agent, request)
    if (!KEEPS_METHOD.has(reply.status) && !BECOMES_GET.has(reply.status)) return reply
    // A JSON-RPC request that turned into a GET would ask for something else altogether.
    if (mode === 'method_kept' && !KEEPS_METHOD.has(reply.status)) throw new UpstreamFailure('protocol', true)
    request = redirected(request, reply)
  }
  throw new UpstreamFailure('protocol', true)
}

function redirected(request: WebRequest, { status, headers }: WebReply): WebRequest {
  const url = URL.parse(String(headers.location ?? ''), request.url.href)
  if (!url || headers.location === undefined) throw new UpstreamFailure('protocol', true)
  checkTarget(request.url, url)
  const keeps = KEEPS_METHOD.has(status) || request.method === 'GET'
  const kept = url.origin === request.url.origin ? request.headers : withoutCredentials(request)
  if (keeps) return { ...request, url, headers: kept }
  const { 'content-type': _, ...without_body } = kept
  return { ...request, url, headers: without_body, method: 'GET', body: undefined }
}

function checkTarget(from: URL, to: URL): void {
  const isWeb = to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:')
  if (!isWeb || to.username !== '' || to.password !== '') throw new UpstreamFailure('protocol', true)
}

function withoutCredentials({ headers, written = {} }: WebRequest): Record<string, string> {
  const open = Object.entries(headers).filter(([name]) => !isCredentialHeader(name, written[name]))
  return Object.fromEntries(open)
}
