import type { HubConfig } from '../../../platform/policy/hub-config.ts'
import { openProvider, type Provider } from '../connections/oauth-provider.ts'
import { type SafeFetch, SourceFault } from '../connectors/connector.ts'
import { findGuard } from './protected-resource.ts'
import { CLIENT_DOCUMENT_PATH, clientFor, type KnownClient, type OwnClient } from './register-client.ts'

/** The scope of access that goes on while the owner is away. */
export const OFFLINE = 'offline_access'

/** What the owner has said of a provider; empty where the hub has to find out. */
export interface AskedClient {
  readonly issuer: string
  readonly client_id: string
  readonly client_secret?: string | undefined
  readonly scope: string
}

/** Under which terms the owner is sent to a provider. They count for the way back as well. */
export interface Terms extends KnownClient {
  readonly issuer: string
  readonly scope: string
  readonly resource?: string
}

export interface AskedProvider {
  readonly provider: Provider
  readonly asked: Terms
}

/** A provider and a client that the owner has named. */
export async function askAs(fetch: SafeFetch, client: AskedClient): Promise<AskedProvider> {
  const { issuer, client_id, client_secret, scope } = client
  const secret = client_secret === undefined ? {} : { client_secret }
  return { provider: await openProvider(fetch, client), asked: { issuer, client_id, ...secret, scope } }
}

/** A provider that is found by what it guards, at which the hub registers where the owner has not. */
export async function askForResource(
  fetch: SafeFetch,
  client: AskedClient & { readonly resource: string },
  own: OwnClient,
): Promise<AskedProvider> {
  const { issuer, resource, scope } = await findGuard(fetch, client.resource, client.issuer)
  const found = await openProvider(fetch, { issuer, client_id: client.client_id || own.redirect_uri })
  const server = found.configuration.serverMetadata()
  // Without it whoever catches the code on its way could use it.
  if (!server.code_challenge_methods_supported?.includes('S256'))
    throw new SourceFault('refused', 'The provider does not offer PKCE with S256.')
  const known = await clientFor(fetch, found, client, own)
  const wanted = client.scope === '' ? withOffline(scope, server.scopes_supported) : client.scope
  const provider = await openProvider(fetch, { issuer, ...known })
  return { provider, asked: { issuer, resource, scope: wanted, ...withoutGaps(known) } }
}

function withOffline(scope: string, offered: readonly string[] = []): string {
  const words = scope.split(' ').filter((word) => word !== '')
  if (!offered.includes(OFFLINE) || words.includes(OFFLINE)) return words.join(' ')
  return [...words, OFFLINE].join(' ')
}

function withoutGaps({ client_id, client_secret, auth_method }: KnownClient): KnownClient {
  return {
    client_id,
    ...(client_secret !== undefined && { client_secret }),
    ...(auth_method !== undefined && { auth_method }),
  }
}

/** Where providers can read who the hub is: only under an address that they reach. */
export function documentAddress({ public_url }: Pick<HubConfig, 'public_url'>): string | undefined {
  return public_url?.startsWith('https:') ? `${public_url}${CLIENT_DOCUMENT_PATH}` : undefined
}
