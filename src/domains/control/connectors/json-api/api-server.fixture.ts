import { createServer, type RequestListener } from 'node:http'
import { startWebServer, type WebServer } from '../web-server.fixture.ts'

/** What is used of the provider's library, which has no types of its own. */
interface KeptToken {
  readonly isValid: boolean
  save(): Promise<string>
  destroy(): Promise<void>
}
interface TokenKind {
  new (parts: object): KeptToken
  find(value: string): Promise<KeptToken | undefined>
}
interface Provider {
  callback(): RequestListener
  readonly AccessToken: TokenKind
  readonly RefreshToken: TokenKind
  readonly Client: { find(id: string): Promise<object | undefined> }
  readonly Grant: new (parts: object) => { addOIDCScope(scope: string): void; save(): Promise<string> }
}

const CLIENT = 'hub'
const ACCOUNT = 'owner'
const SCOPE = 'openid offline_access'

/** An OAuth provider and an API behind it, both on loopback. */
export interface ApiServer extends AsyncDisposable {
  readonly issuer: string
  readonly api: WebServer
  /** The credential of a connection, as it is kept after the owner has authorised it. */
  authorise(): Promise<{ credential: string; access_token: string; refresh_token: string }>
  /** Ends a token before its time. */
  expire(access_token: string): Promise<void>
  isLive(token: string): Promise<boolean>
}

/** Starts both. `answer` gets the address asked for by a caller whose token counts. */
export async function startApi(
  answer: (url: URL) => { status?: number; headers?: Record<string, string>; body: unknown },
): Promise<ApiServer> {
  const { provider, issuer, close } = await startProvider()
  const api = await startWebServer(async (request, response) => {
    const token = await provider.AccessToken.find(
      (request.headers.authorization ?? '').replace(/^Bearer /, ''),
    )
    if (!token) return response.writeHead(401).end()
    const { status = 200, headers, body } = answer(new URL(request.url ?? '/', 'http://x'))
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  return {
    issuer,
    api,
    async authorise() {
      const tokens = await issueTokens(provider)
      const client = { issuer, client_id: CLIENT, scope: SCOPE }
      return { ...tokens, credential: JSON.stringify({ ...client, ...tokens }) }
    },
    async expire(access_token) {
      await (await provider.AccessToken.find(access_token))?.destroy()
    },
    async isLive(token) {
      const found = (await provider.AccessToken.find(token)) ?? (await provider.RefreshToken.find(token))
      return found?.isValid === true
    },
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]()
      await close()
    },
  }
}

async function startProvider() {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  const library: string = 'oidc-provider'
  const { Provider } = (await import(library)) as {
    Provider: new (issuer: string, options: object) => Provider
  }
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT,
        token_endpoint_auth_method: 'none',
        redirect_uris: ['http://127.0.0.1/oauth/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    features: { revocation: { enabled: true }, devInteractions: { enabled: false } },
    rotateRefreshToken: true,
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
  })
  server.on('request', provider.callback())
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { provider, issuer, close }
}

async function issueTokens(provider: Provider) {
  const client = await provider.Client.find(CLIENT)
  if (!client) throw new Error('the provider lost its client')
  const grant = new provider.Grant({ clientId: CLIENT, accountId: ACCOUNT })
  grant.addOIDCScope(SCOPE)
  const grantId = await grant.save()
  const common = { accountId: ACCOUNT, client, grantId, scope: SCOPE, gty: 'authorization_code' }
  const access_token = await new provider.AccessToken(common).save()
  const refresh_token = await new provider.RefreshToken({ ...common, rotations: 0 }).save()
  return { access_token, refresh_token }
}
