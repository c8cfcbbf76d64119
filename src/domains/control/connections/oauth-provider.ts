import type { Configuration, CustomFetchOptions } from 'openid-client'
import { type SafeFetch, SourceFault } from '../connectors/connector.ts'

/** Who is asked for authorisation, and as which client. */
export interface ProviderClient {
  readonly issuer: string
  readonly client_id: string
  readonly client_secret?: string | undefined
}

/** A provider that has been asked for its metadata. */
export interface Provider {
  readonly oauth: typeof import('openid-client')
  readonly configuration: Configuration
}

const ANSWER_LIMIT_BYTES = 262_144
const TIMEOUT_SECONDS = 20
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
/** Where metadata may lie: as OpenID has it, and as RFC 8414 has it. */
const ALGORITHMS = ['oidc', 'oauth2'] as const

/** Errors of RFC 6749, 7009 and 6750 that say what to do. Other texts of a provider's are not passed on. */
const KNOWN_ERRORS = [
  'access_denied',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
  'unsupported_token_type',
]

/** Asks a provider for its metadata. All that is ever sent to it goes through the fetch. */
export async function openProvider(fetch: SafeFetch, client: ProviderClient): Promise<Provider> {
  const oauth = await import('openid-client')
  const server = URL.parse(client.issuer)
  if (!server || !isSafeAddress(server))
    throw new SourceFault('refused', 'The provider needs an https address.')
  const options = {
    [oauth.customFetch]: bounded(fetch),
    timeout: TIMEOUT_SECONDS,
    execute: server.protocol === 'http:' ? [oauth.allowInsecureRequests] : [],
  }
  const { client_id, client_secret } = client
  let fault: SourceFault | undefined
  for (const algorithm of ALGORITHMS) {
    try {
      const found = await oauth.discovery(server, client_id, client_secret, undefined, {
        ...options,
        algorithm,
      })
      return { oauth, configuration: found }
    } catch (error) {
      fault ??= asProviderFault(error)
      if (fault.code !== 'bad_answer') break
    }
  }
  throw fault
}

/** Whether what is sent to an address stays secret on its way: https, or this very machine. */
export function isSafeAddress({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
}

function bounded(fetch: SafeFetch) {
  return async (url: string, options: CustomFetchOptions): Promise<Response> => {
    const { headers, method, body } = options
    const text = body === undefined || body === null ? undefined : String(body)
    const answer = await fetch(url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      max_bytes: ANSWER_LIMIT_BYTES,
      ...(text !== undefined && { body: text }),
    })
    if (answer.url !== new URL(url).href)
      throw new SourceFault('bad_answer', 'The provider led elsewhere instead of answering.')
    if (answer.status >= 500 || answer.status === 429)
      throw new SourceFault('unreachable', `The provider cannot answer now (${answer.status}).`)
    const empty = [204, 205, 304].includes(answer.status)
    // Unpacked already, so the headers about packing count no more.
    answer.headers.delete('content-encoding')
    return new Response(empty ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: answer.headers,
    })
  }
}

/** What went wrong with a provider, in words of our own. */
export function asProviderFault(error: unknown): SourceFault {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++)
    if (cause instanceof SourceFault) return cause
  const { error: sent, name } = error as { error?: unknown; name?: string }
  if (typeof sent === 'string') return refusalOf(sent, name === 'AuthorizationResponseError')
  return new SourceFault('bad_answer', 'The provider sent an answer that cannot be trusted.')
}

function refusalOf(sent: string, is_by_owner: boolean): SourceFault {
  const error = KNOWN_ERRORS.includes(sent) ? sent : 'an error of its own'
  if (error === 'server_error' || error === 'temporarily_unavailable')
    return new SourceFault('unreachable', `The provider cannot answer now (${error}).`)
  if (error === 'invalid_grant' && !is_by_owner)
    return new SourceFault('needs_attention', 'The provider no longer accepts the authorisation.')
  return new SourceFault('refused', `The provider did not authorise the connection (${error}).`)
}
