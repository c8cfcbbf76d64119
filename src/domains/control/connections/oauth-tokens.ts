import { z } from 'zod'
import { type SafeFetch, type Source, SourceFault } from '../connectors/connector.ts'
import { asProviderFault, openProvider, type Provider } from './oauth-provider.ts'

/** The name under which a connection keeps all it got from its provider: one credential, replaced as a whole. */
export const OAUTH_SECRET = 'oauth'

/** A token that ends within this time is not used any more. */
const RENEW_BEFORE_MS = 60_000
const MOST_SECONDS = 31_536_000
/** A token with a shorter life is renewed when so much of it is left. */
const SHORT_SECONDS = 300
const LAST_PART = 0.2

const Credential = z.strictObject({
  issuer: z.string(),
  client_id: z.string(),
  client_secret: z.string().optional(),
  scope: z.string(),
  access_token: z.string(),
  refresh_token: z.string().optional(),
  expires_at: z.string().optional(),
  /** Where a token lives so short that the usual time before its end would be most of it. */
  renew_at: z.string().optional(),
  /** What the tokens are for, where the provider was told. */
  resource: z.string().optional(),
  auth_method: z.enum(['none', 'client_secret_post', 'client_secret_basic']).optional(),
})

/** Tokens, and the client they were given to. */
export type OAuthCredential = z.infer<typeof Credential>

/** What a provider's token answer gives. */
export interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token?: string | undefined
  readonly expires_in?: number | undefined
}

/** The parts of a credential that a token answer settles. */
export function tokensOf({ access_token, refresh_token, expires_in }: TokenAnswer, now: Date) {
  const seconds = expires_in === undefined ? undefined : soundSeconds(expires_in)
  return {
    access_token,
    ...(refresh_token !== undefined && { refresh_token }),
    ...(seconds !== undefined && { expires_at: later(now, seconds) }),
    ...(seconds !== undefined &&
      seconds > 0 &&
      seconds < SHORT_SECONDS && { renew_at: later(now, seconds * (1 - LAST_PART)) }),
  }
}

function later(now: Date, seconds: number): string {
  return new Date(now.getTime() + seconds * 1_000).toISOString()
}

/** What is no number of seconds, or lies before now, says that the token is over: then it is renewed. */
function soundSeconds(expires_in: number): number {
  return expires_in > 0 ? Math.min(expires_in, MOST_SECONDS) : 0
}

/** A token that counts now: the one there is, or a new one where its time is nearly over. */
export async function accessToken(source: Source): Promise<string> {
  const credential = await readCredential(source)
  return isFresh(credential, source.now()) ? credential.access_token : renew(source, credential)
}

/** Whether a token still counts for a while, or there is nothing to renew it with. */
export function isFresh({ expires_at, renew_at, refresh_token }: OAuthCredential, now: Date): boolean {
  if (refresh_token === undefined || expires_at === undefined) return true
  if (renew_at !== undefined) return Date.parse(renew_at) > now.getTime()
  return Date.parse(expires_at) - now.getTime() > RENEW_BEFORE_MS
}

/** A new token, for a source that takes the old one no more. */
export async function renewAccessToken(source: Source): Promise<string> {
  return renew(source, await readCredential(source))
}

async function renew(source: Source, credential: OAuthCredential): Promise<string> {
  const renewed = await renewCredential(source.fetch, credential, source.now)
  await source.replaceSecret(OAUTH_SECRET, JSON.stringify(renewed))
  return renewed.access_token
}

/** Asks the provider for newer tokens. Who keeps them is the caller's affair. */
export async function renewCredential(
  fetch: SafeFetch,
  credential: OAuthCredential,
  now: () => Date,
): Promise<OAuthCredential> {
  const { refresh_token, scope, resource } = credential
  if (refresh_token === undefined)
    throw new SourceFault('needs_attention', 'The authorisation is over. Connect again.')
  const wanted = { ...(scope !== '' && { scope }), ...(resource !== undefined && { resource }) }
  const answer = await askProvider({ fetch }, credential, ({ oauth, configuration }) =>
    oauth.refreshTokenGrant(configuration, refresh_token, wanted),
  )
  const { expires_at: _, renew_at: __, ...rest } = credential
  return { ...rest, ...tokensOf(answer, now()) }
}

/** Gives the tokens back, so that they count no more at the provider. One that offers no way to is left alone. */
export async function revokeTokens(source: Source): Promise<void> {
  const credential = await readCredential(source)
  const { refresh_token, access_token } = credential
  await askProvider(source, credential, async ({ oauth, configuration }) => {
    if (configuration.serverMetadata().revocation_endpoint === undefined) return
    if (refresh_token !== undefined)
      await oauth.tokenRevocation(configuration, refresh_token, { token_type_hint: 'refresh_token' })
    await oauth.tokenRevocation(configuration, access_token, { token_type_hint: 'access_token' })
  })
}

async function readCredential(source: Source): Promise<OAuthCredential> {
  return parseCredential(await source.secret(OAUTH_SECRET))
}

/** A credential as it was unsealed. */
export function parseCredential(text: string): OAuthCredential {
  return Credential.parse(JSON.parse(text))
}

async function askProvider<Result>(
  source: { readonly fetch: SafeFetch },
  client: OAuthCredential,
  ask: (provider: Provider) => Promise<Result>,
): Promise<Result> {
  const provider = await openProvider(source.fetch, client)
  try {
    return await ask(provider)
  } catch (error) {
    throw asProviderFault(error)
  }
}
