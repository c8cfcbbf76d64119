import { z } from 'zod'
import { ownerSession } from '../../../operations/authority.ts'
import { OwnerRefusal } from '../../../operations/owner-contract.ts'
import { askAs, askForResource, documentAddress, OFFLINE } from '../authorization/ask-provider.ts'
import { isSafeAddress, type Provider } from '../connections/oauth-provider.ts'
import { SourceFault } from '../connectors/connector.ts'
import type { ConnectorManifest } from '../connectors/manifest-schema.ts'
import { openSafeFetch } from '../connectors/safe-fetch.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { hubAddress, localhostOf } from '../owner/hub-address.ts'
import { openIntentErrors, sourceErrors } from './intent-errors.ts'
import { IntentId, Values } from './intent-schemas.ts'
import type { IntentRow } from './intent-store.ts'
import { keepPending, type PendingAuthorization, returnUntil, sessionOf } from './pending-authorization.ts'
import { fillIn, type GivenSettings, readSettings } from './settings-form.ts'
import { noting, requireOpenIntent } from './try-connection.ts'

/** Where providers send the owner back to. */
export const CALLBACK_PATH = '/oauth/callback'

/** Who this hub is at the provider, and what it asks for. */
function clientOf(
  { oauth }: ConnectorManifest,
  { settings, secrets }: GivenSettings,
  env: NodeJS.ProcessEnv,
) {
  if (!oauth) throw new OwnerRefusal('intent_needs_other_step')
  const { client_secret_env } = oauth
  const from_env = client_secret_env === undefined ? undefined : env[client_secret_env]
  return {
    issuer: fillIn(oauth.issuer, settings),
    client_id: fillIn(oauth.client_id, settings),
    scope: fillIn(oauth.scope, settings).trim(),
    resource: oauth.resource && fillIn(oauth.resource, settings),
    client_secret: secrets.get('client_secret') ?? from_env,
  }
}

export const OwnerIntentAuthorizeOutput = z.strictObject({
  object: z.literal('owner_connection_authorization'),
  intent_id: z.string(),
  authorization_url: z.url(),
  redirect_uri: z.url(),
  expires_at: z.string(),
})

/** The owner goes to the provider: it is asked for its metadata, and PKCE and a state are made for the way back. */
export const ownerIntentAuthorize = defineOwnerOperation({
  name: 'owner_intent_authorize',
  summary: 'Begin the authorisation at the provider of an intent: the address that the owner opens.',
  effect: 'update',
  authority: ownerSession(),
  rest: 'POST /_ref/intents/{intent_id}/authorize',
  cli: 'owner intent open <intent_id>',
  errors: { ...openIntentErrors, ...sourceErrors },
  target: ({ intent_id }) => ({ kind: 'connection_intent', id: intent_id }),
  spine: {
    event: 'owner_agent.connection.authorize',
    operation: 'authorize_connection',
    object: ({ intent_id }) => ({ type: 'connection_intent', id: intent_id }),
  },
  input: z.strictObject({
    intent_id: IntentId,
    values: Values.default({}).describe('What the connector asks for'),
  }),
  output: OwnerIntentAuthorizeOutput,
  present: async () => (await import('./present-intents.ts')).presentAuthorization,
  async check({ input, hub, caller, origin, signal, now }) {
    const { intent, connector } = await requireOpenIntent(hub, input.intent_id, now)
    const given = readSettings(connector.manifest, input.values)
    const client = clientOf(connector.manifest, given, hub.env)
    const home = caller.kind === 'owner_session' ? localhostOf(origin) : await hubAddress(hub.db)
    const redirect_uri = `${home}${CALLBACK_PATH}`
    const own = { redirect_uri, document: documentAddress(hub.config) }
    const { provider, asked } = await noting(hub, intent, () =>
      client.resource === undefined
        ? askAs(openSafeFetch(hub, signal), client)
        : askForResource(openSafeFetch(hub, signal), { ...client, resource: client.resource }, own),
    )
    const { client_secret, ...terms } = asked
    const pending: PendingAuthorization = {
      ...terms,
      verifier: hub.system.random(32),
      redirect_uri,
      settings: given.settings,
      secrets: {
        ...Object.fromEntries(given.secrets),
        ...(client_secret !== undefined && { client_secret }),
      },
      session_id: sessionOf(caller),
      until: returnUntil(now, intent),
    }
    const state = hub.system.random(32)
    const url = await noting(hub, intent, () => authorizationUrl(provider, pending, state))
    return { intent, pending, state, url }
  },
  async handle({ db, hub, now }, { intent, pending, state, url }) {
    await keepPending(db, hub, intent, { state, pending }, now)
    return shown(intent, pending, url)
  },
})

function shown({ intent_id }: IntentRow, { redirect_uri, until }: PendingAuthorization, url: URL) {
  const object = 'owner_connection_authorization' as const
  return { object, intent_id, authorization_url: url.href, redirect_uri, expires_at: until }
}

async function authorizationUrl(
  { oauth, configuration }: Provider,
  { verifier, redirect_uri, scope, resource }: PendingAuthorization,
  state: string,
): Promise<URL> {
  const { authorization_endpoint } = configuration.serverMetadata()
  const endpoint = URL.parse(authorization_endpoint ?? '')
  // The owner's browser is sent there, so a script or a plain address on the network will not do.
  if (!endpoint || !isSafeAddress(endpoint))
    throw new SourceFault('bad_answer', 'The provider names no place where access could be given.')
  return oauth.buildAuthorizationUrl(configuration, {
    redirect_uri,
    state,
    ...(scope !== '' && { scope }),
    ...(resource !== undefined && { resource }),
    // Without the word for it some providers give nothing to renew the access with.
    ...(scope.split(' ').includes(OFFLINE) && { prompt: 'consent' }),
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
}
