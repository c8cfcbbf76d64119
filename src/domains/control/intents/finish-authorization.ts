import type { Hub } from '../../../operations/hub.ts'
import { asProviderFault, openProvider } from '../connections/oauth-provider.ts'
import { OAUTH_SECRET, type OAuthCredential, revokeTokens, tokensOf } from '../connections/oauth-tokens.ts'
import { type DraftConnection, openDraftSource } from '../connections/open-source.ts'
import { openSafeFetch } from '../connectors/safe-fetch.ts'
import type { TriedConnection } from './activate-connection.ts'
import { type Callback, type PendingAuthorization, takePending } from './pending-authorization.ts'
import { draftId, noting, openIntent, type StepContext, tryConnection } from './try-connection.ts'

const REVOKE_LIMIT_MS = 20_000

/**
 * Goes on from a provider's callback as far as anything outside is needed: uses the state up, exchanges the
 * code, and asks the source once. What the provider gave for nothing is given back.
 */
export async function finishAuthorization(
  context: StepContext,
  callback: Callback,
): Promise<TriedConnection> {
  const { hub, now } = context
  const { intent, pending } = await takePending(hub, callback, now)
  const open = await openIntent(hub, intent, now)
  const { manifest } = open.connector
  const client_secret = pending.secrets.client_secret ?? hub.env[manifest.oauth?.client_secret_env ?? '']
  const credential = await noting(hub, intent, () =>
    exchangeCode(context, callback, pending, client_secret || undefined),
  )
  const { client_secret: _, ...others } = pending.secrets
  const draft: DraftConnection = {
    connection_id: draftId(hub, intent),
    settings: pending.settings,
    secrets: new Map([...Object.entries(others), [OAUTH_SECRET, JSON.stringify(credential)]]),
  }
  try {
    await tryConnection(context, open, draft)
  } catch (error) {
    await giveBack(hub, draft)
    throw error
  }
  return { intent, manifest, draft }
}

async function exchangeCode(
  { hub, signal }: StepContext,
  { url, state }: Callback,
  { verifier, issuer, client_id, scope, resource, auth_method }: PendingAuthorization,
  client_secret: string | undefined,
): Promise<OAuthCredential> {
  const client = {
    issuer,
    client_id,
    ...(client_secret !== undefined && { client_secret }),
    ...(auth_method !== undefined && { auth_method }),
  }
  const meant = resource === undefined ? {} : { resource }
  const { oauth, configuration } = await openProvider(openSafeFetch(hub, signal), client)
  try {
    const checks = { pkceCodeVerifier: verifier, expectedState: state }
    const answer = await oauth.authorizationCodeGrant(configuration, url, checks, meant)
    return { ...client, ...meant, scope, ...tokensOf(answer, hub.system.now()) }
  } catch (error) {
    throw asProviderFault(error)
  }
}

/** Gives tokens back that no connection will use. That it fails changes nothing: they are forgotten here. */
export async function giveBack(hub: Hub, draft: DraftConnection): Promise<void> {
  if (!draft.secrets.has(OAUTH_SECRET)) return
  try {
    await revokeTokens(openDraftSource(hub, draft, AbortSignal.timeout(REVOKE_LIMIT_MS)))
  } catch (error) {
    hub.log.warn({ fault: (error as Error).name }, 'tokens of an unfinished connection were not given back')
  }
}
