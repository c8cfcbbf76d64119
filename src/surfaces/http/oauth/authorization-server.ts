import { AsyncLocalStorage } from 'node:async_hooks'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Hub } from '../../../operations/hub.ts'
import { findMcpConsent, findStandingConsent } from '../../../platform/identity/mcp/mcp-consents.ts'
import { findOauthRecord } from '../../../platform/identity/mcp/oauth-records.ts'
import { callProvider, type ProviderAnswer, type ProviderQuestion } from './call-provider.ts'
import { ISSUER, ISSUER_PARAMETER, RESOURCE, withIssuer } from './issuer.ts'
import { REQUEST_SECONDS } from './lifetimes.ts'
import { prepareToken } from './prepare-token.ts'
import { providerStorage } from './provider-adapter.ts'

/** A sign-in that waits for the owner. */
export interface WaitingRequest {
  readonly client_id: string
  readonly client_name: string
  readonly redirect_uri: string
}

/** The protocol's library behind what we use of it. */
export interface AuthorizationServer {
  ask(question: ProviderQuestion): Promise<ProviderAnswer>
  /** A refresh, whose successors follow from the token that is presented: asked again, they are the same. */
  refresh(question: ProviderQuestion, refresh_token: string): Promise<ProviderAnswer>
  findWaiting(request: string): Promise<WaitingRequest | undefined>
  /** Ends a waiting request with the owner's decision; answers where the browser has to go. */
  finish(request: string, consent_id: string | undefined): Promise<string | undefined>
  findClientName(client_id: string): Promise<string | undefined>
  /** Tokens for a program that the owner allowed by its code. */
  issueByDevice(client_id: string, consent_id: string): Promise<Readonly<Record<string, unknown>>>
}

const CODE_SECONDS = 60
/** The tokens of a membership live this long; those of a grant as long as it. */
const TOKEN_SECONDS = 3_600

/** What is used of the library, which has no types of its own. */
interface Model {
  jti: string
  save(ttl?: number): Promise<string>
  [name: string]: unknown
}
interface ModelClass {
  new (parts?: object): Model
  find(id: string): Promise<Model | undefined>
  prototype: { generateTokenId(this: Model): string }
}
interface Provider {
  on(event: 'server_error', listener: (context: unknown, error: Error) => void): void
  callback(): (request: IncomingMessage, response: ServerResponse) => unknown
  readonly Client: { find(id: string): Promise<{ clientName?: string; clientId: string } | undefined> }
  readonly Interaction: ModelClass
  readonly Grant: ModelClass
  readonly AccessToken: ModelClass
  readonly RefreshToken: ModelClass
  readonly AuthorizationCode: ModelClass
  readonly ResourceServer: new (id: string, info: object) => unknown
}
interface Library {
  default: new (issuer: string, configuration: object) => Provider
  errors: { InvalidGrant: new (why: string) => Error; InvalidTarget: new (why: string) => Error }
}
interface ProviderContext {
  readonly oidc: {
    readonly provider: Provider
    readonly result?: { consent?: { grantId?: string } }
    readonly entities: { readonly Grant?: { readonly jti: string } }
  }
}
type Derive = (what: string) => string

/** Loads the library. It takes some memory and a moment, so that is done when somebody first signs in. */
export async function openAuthorizationServer(hub: Hub): Promise<AuthorizationServer> {
  const name: string = 'oidc-provider'
  const { default: Provider, errors } = (await import(name)) as Library
  const storage = providerStorage({
    hub,
    resource: RESOURCE,
    invalidGrant: (why) => new errors.InvalidGrant(why),
    prepareToken: (consent_id) => prepareToken(hub, consent_id, (why) => new errors.InvalidGrant(why)),
  })
  const provider = new Provider(ISSUER, configurationOf(hub, storage, errors))
  provider.on('server_error', (_context, error) =>
    hub.log.error({ fault: error.name }, 'the sign-in for MCP failed'),
  )
  const derived = new AsyncLocalStorage<Derive>()
  nameTokens(hub, provider, derived)
  const callback = provider.callback()
  const ask = (question: ProviderQuestion) => callProvider(callback, question)
  return {
    ask,
    async refresh(question, refresh_token) {
      const derive = await findDerivation(hub, refresh_token)
      return derive ? derived.run(derive, () => ask(question)) : ask(question)
    },
    async findWaiting(request) {
      const interaction = await provider.Interaction.find(request)
      if (!interaction || (await isUsed(hub, request))) return undefined
      const { client_id, redirect_uri } = interaction.params as { client_id: string; redirect_uri: string }
      const client = await provider.Client.find(client_id)
      return client && { client_id, client_name: client.clientName ?? '', redirect_uri }
    },
    async finish(request, consent_id) {
      const interaction = await provider.Interaction.find(request)
      if (!interaction) return undefined
      interaction.result =
        consent_id === undefined
          ? { error: 'access_denied', error_description: 'The owner said no.' }
          : { login: { accountId: 'owner' }, consent: { grantId: consent_id } }
      await interaction.save(CODE_SECONDS)
      const headers = { cookie: `_interaction_resume=${request}` }
      const { location } = await ask({ method: 'GET', path: `/oauth/authorize/${request}`, headers })
      const issuer = (interaction.params as Record<string, string>)[ISSUER_PARAMETER] ?? ''
      return location && withIssuer(location, issuer)
    },
    findClientName: async (client_id) => {
      const client = await provider.Client.find(client_id)
      return client && (client.clientName ?? client_id)
    },
    issueByDevice: (client_id, consent_id) => issueByDevice(hub, provider, client_id, consent_id),
  }
}

async function isUsed(hub: Hub, request: string): Promise<boolean> {
  const record = await findOauthRecord(hub.db, 'Interaction', request, hub.system.now())
  return record?.used_at !== null
}

function configurationOf(hub: Hub, adapter: unknown, errors: Library['errors']): object {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    adapter,
    // Nothing is ever signed with it: tokens are opaque, and there are no others.
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' }] },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    clientAuthMethods: ['none'],
    clientDefaults: {
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'ES256',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    responseTypes: ['code'],
    scopes: [],
    pkce: { required: () => true },
    extraParams: [ISSUER_PARAMETER],
    routes: { authorization: '/oauth/authorize', token: '/oauth/token', registration: '/oauth/register' },
    cookies: { short: { signed: false }, long: { signed: false } },
    features: featuresOf(hub, errors),
    interactions: { url: (_ctx: unknown, { jti }: Model) => `/oauth/consent/${jti}` },
    ttl: {
      AccessToken: (_ctx: unknown, { resourceServer }: { resourceServer?: { accessTokenTTL: number } }) =>
        resourceServer?.accessTokenTTL ?? TOKEN_SECONDS,
      Interaction: REQUEST_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      RefreshToken: 30 * 86_400,
      Session: 600,
    },
    expiresWithSession: async () => false,
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    issueRefreshToken: async (_ctx: unknown, _client: unknown, { grantId }: Model) =>
      isRenewable(hub, String(grantId)),
    findAccount: async (_ctx: unknown, id: string) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    loadExistingGrant: (ctx: ProviderContext) => {
      const id = ctx.oidc.result?.consent?.grantId
      return id === undefined ? undefined : ctx.oidc.provider.Grant.find(id)
    },
    renderError: async (ctx: { body: unknown }, out: object) => {
      ctx.body = out
    },
  }
}

function featuresOf(hub: Hub, errors: Library['errors']): object {
  const off = { enabled: false }
  return {
    devInteractions: off,
    userinfo: off,
    rpInitiatedLogout: off,
    pushedAuthorizationRequests: off,
    dPoP: off,
    registration: {
      enabled: true,
      issueRegistrationAccessToken: false,
      idFactory: () => `kcli_${hub.system.random(16)}`,
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => RESOURCE,
      useGrantedResource: () => true,
      getResourceServerInfo: (ctx: ProviderContext, resource: string) =>
        resourceOf(hub, ctx, resource, errors),
    },
  }
}

async function resourceOf(hub: Hub, ctx: ProviderContext, resource: string, errors: Library['errors']) {
  if (resource !== RESOURCE) throw new errors.InvalidTarget('only this hub’s own /mcp')
  const consent_id = ctx.oidc.entities.Grant?.jti ?? ctx.oidc.result?.consent?.grantId
  return {
    ...RESOURCE_INFO,
    accessTokenTTL: consent_id ? await tokenSeconds(hub, consent_id) : TOKEN_SECONDS,
  }
}

const RESOURCE_INFO = { scope: 'mcp', audience: RESOURCE, accessTokenFormat: 'opaque' }

async function tokenSeconds(hub: Hub, consent_id: string): Promise<number> {
  const consent = await findMcpConsent(hub.db, consent_id)
  const left = consent ? (Date.parse(consent.standing_until) - hub.system.now().getTime()) / 1_000 : 1
  return Math.max(1, Math.floor(Math.min(consent?.terms?.ttl_seconds ?? TOKEN_SECONDS, left)))
}

/** Who was allowed in for no longer than one token gets nothing to renew it with. */
async function isRenewable(hub: Hub, consent_id: string): Promise<boolean> {
  const now = hub.system.now()
  const consent = await findStandingConsent(hub.db, consent_id, now)
  if (!consent) return false
  const lifetime = consent.terms?.ttl_seconds ?? TOKEN_SECONDS
  return Date.parse(consent.standing_until) - now.getTime() > lifetime * 1_000
}

/** Ours are told apart by how they begin, and no longer than they have to be. */
function nameTokens(hub: Hub, provider: Provider, derived: AsyncLocalStorage<Derive>): void {
  for (const [model, prefix] of [
    [provider.AccessToken, 'kmcp_'],
    [provider.RefreshToken, 'kmcr_'],
    [provider.AuthorizationCode, 'kmcc_'],
  ] as const) {
    const { generateTokenId } = model.prototype
    model.prototype.generateTokenId = function named(this: Model) {
      // It also notes on the token of which form that is.
      generateTokenId.call(this)
      return `${prefix}${derived.getStore()?.(prefix) ?? hub.system.random(32)}`
    }
  }
}

/** The hub alone has the key and the program alone the token: neither can tell the successor without the other. */
async function findDerivation(hub: Hub, refresh_token: string): Promise<Derive | undefined> {
  const record = await findOauthRecord(hub.db, 'RefreshToken', refresh_token, hub.system.now())
  const consent = record?.consent_id ? await findMcpConsent(hub.db, record.consent_id) : undefined
  return (
    consent &&
    ((what) => createHmac('sha256', consent.family_key).update(`${what}${refresh_token}`).digest('hex'))
  )
}

async function issueByDevice(hub: Hub, provider: Provider, client_id: string, consent_id: string) {
  const client = await provider.Client.find(client_id)
  const seconds = await tokenSeconds(hub, consent_id)
  const parts = { client, accountId: 'owner', grantId: consent_id, scope: 'mcp', gty: 'device_code' }
  const info = { ...RESOURCE_INFO, accessTokenTTL: seconds }
  const resourceServer = new provider.ResourceServer(RESOURCE, info)
  const access = new provider.AccessToken({ ...parts, resourceServer, expiresIn: seconds })
  const access_token = await access.save()
  const answer = { access_token, token_type: 'Bearer', expires_in: seconds, scope: 'mcp' }
  if (!(await isRenewable(hub, consent_id))) return answer
  const refresh = new provider.RefreshToken({ ...parts, resource: RESOURCE })
  return { ...answer, refresh_token: await refresh.save() }
}
