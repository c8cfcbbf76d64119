import type { ClientAuth, Configuration, CustomFetchOptions } from 'openid-client'
import { type SafeFetch, SourceFault } from '../connectors/connector.ts'

/** Who is asked for authorisation, and as which client. */
export interface ProviderClient {
  readonly issuer: string
  readonly client_id: string
  readonly client_secret?: string | undefined
  /** How the client proves who it is; by its secret in the body where nothing is said. */
  readonly auth_method?: AuthMethod | undefined
}

export type AuthMethod = 'none' | 'client_secret_post' | 'client_secret_basic'

/** A provider that has been asked for its metadata. */
export interface Provider {
  readonly oauth: typeof import('openid-client')
  readonly configuration: Configuration
}

const ANSWER_LIMIT_BYTES = 262_144
const TIMEOUT_SECONDS = 20
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
/** Where metadata may lie: as OpenID has it, as RFC 8414 has it, and OpenID's at the place of RFC 8414. */
const PLACES = ['oidc', 'oauth2', 'inserted'] as const

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
  const proof = proofOf(oauth, client)
  let fault: SourceFault | undefined
  for (const place of PLACES) {
    try {
      const [at, algorithm] =
        place === 'inserted' ? [insertedPlace(server), 'oidc' as const] : [server, place]
      const found = await oauth.discovery(at, client_id, client_secret, proof, { ...options, algorithm })
      if (place === 'inserted') checkIssuer(found, server)
      return { oauth, configuration: found }
    } catch (error) {
      fault ??= asProviderFault(error)
      if (fault.code !== 'bad_answer') break
    }
  }
  throw fault
}

function proofOf(
  oauth: Provider['oauth'],
  { client_secret, auth_method }: ProviderClient,
): ClientAuth | undefined {
  if (auth_method === 'none') return oauth.None()
  return auth_method === 'client_secret_basic' ? basicProof(client_secret ?? '') : undefined
}

/** Encoded as forms are, and no more: many providers take the id and the secret as they come. */
function basicProof(client_secret: string): ClientAuth {
  return (_server, { client_id }, _body, headers) => {
    const both = `${formText(client_id)}:${formText(client_secret)}`
    headers.set('authorization', `Basic ${Buffer.from(both).toString('base64')}`)
  }
}

function formText(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}

function insertedPlace(issuer: URL): URL {
  const path = issuer.pathname === '/' ? '' : issuer.pathname
  return new URL(`/.well-known/openid-configuration${path}`, issuer)
}

/** Asked for by its own address, a document is read without a look at whose it is. */
function checkIssuer(found: Configuration, issuer: URL): void {
  if (URL.parse(found.serverMetadata().issuer)?.href !== issuer.href)
    throw new SourceFault('bad_answer', 'The metadata of the provider is that of another one.')
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
