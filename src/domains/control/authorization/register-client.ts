import { z } from 'zod'
import { type AuthMethod, isSafeAddress, type Provider } from '../connections/oauth-provider.ts'
import { type SafeFetch, SourceFault } from '../connectors/connector.ts'

const ANSWER_LIMIT_BYTES = 65_536
/** Where the hub describes itself to providers that read such documents. */
export const CLIENT_DOCUMENT_PATH = '/client-metadata.json'
const CLIENT_NAME = 'Knowtation'

const Registered = z.object({
  client_id: z.string().min(1).max(2_000),
  client_secret: z.string().min(1).max(4_096).optional(),
  token_endpoint_auth_method: z.string().optional(),
})

/** As which client the hub comes to a provider. */
export interface KnownClient {
  readonly client_id: string
  readonly client_secret?: string | undefined
  readonly auth_method?: AuthMethod | undefined
}

/** What the hub can say of itself. */
export interface OwnClient {
  readonly redirect_uri: string
  /** The address of its document; undefined where the hub has no address that others reach. */
  readonly document: string | undefined
}

/** The client that the owner was given, else the hub's own document, else one that is registered now. */
export async function clientFor(
  fetch: SafeFetch,
  { configuration }: Provider,
  given: { client_id: string; client_secret?: string | undefined },
  own: OwnClient,
): Promise<KnownClient> {
  const server = configuration.serverMetadata()
  const offered = server.token_endpoint_auth_methods_supported
  const { client_id, client_secret } = given
  if (client_id !== '') return { client_id, client_secret, auth_method: methodOf(client_secret, offered) }
  if (own.document !== undefined && server.client_id_metadata_document_supported === true)
    return { client_id: own.document, auth_method: 'none' }
  if (server.registration_endpoint === undefined)
    throw new SourceFault(
      'needs_attention',
      'The provider registers nobody by itself: register the hub there, and give the client id.',
    )
  return register(fetch, server.registration_endpoint, offered, own)
}

async function register(
  fetch: SafeFetch,
  endpoint: string,
  offered: readonly string[] | undefined,
  { redirect_uri }: OwnClient,
): Promise<KnownClient> {
  const url = URL.parse(endpoint)
  if (!url || !isSafeAddress(url))
    throw new SourceFault('bad_answer', 'The provider registers clients at an address that is not https.')
  const answer = await fetch(url.href, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({
      ...describeClient([redirect_uri]),
      token_endpoint_auth_method: wantedOf(offered),
    }),
    max_bytes: ANSWER_LIMIT_BYTES,
  })
  if (answer.status !== 200 && answer.status !== 201)
    throw new SourceFault('refused', `The provider did not register the hub (${answer.status}).`)
  const { client_id, client_secret, token_endpoint_auth_method } = readRegistered(answer.body)
  const said = METHODS.find((method) => method === token_endpoint_auth_method)
  return { client_id, client_secret, auth_method: said ?? methodOf(client_secret, offered) }
}

function readRegistered(body: Buffer): z.infer<typeof Registered> {
  try {
    return Registered.parse(JSON.parse(body.toString('utf8')))
  } catch {
    throw new SourceFault('bad_answer', 'The provider registered the hub in a way that cannot be read.')
  }
}

/** The hub as providers register it. */
export function describeClient(redirect_uris: readonly string[]) {
  return {
    client_name: CLIENT_NAME,
    redirect_uris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: redirect_uris.every((uri) => uri.startsWith('http:')) ? 'native' : 'web',
  }
}

const METHODS: readonly AuthMethod[] = ['none', 'client_secret_post', 'client_secret_basic']

/** The first that the provider takes; of one that says nothing it is the one of RFC 8414. */
function wantedOf(offered: readonly string[] = ['client_secret_basic']): AuthMethod {
  return METHODS.find((method) => offered.includes(method)) ?? 'client_secret_basic'
}

function methodOf(client_secret: string | undefined, offered: readonly string[] | undefined): AuthMethod {
  if (client_secret === undefined) return 'none'
  const withSecret = METHODS.slice(1)
  return withSecret.find((method) => offered?.includes(method)) ?? 'client_secret_basic'
}
