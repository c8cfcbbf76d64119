import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface Granted {
  oidc: { params: { grant_type: string; resource?: string; refresh_token?: string } }
}
interface Token {
  isValid: boolean
  aud: string | string[]
}
/** What is used of the provider's library, which has no types of its own. */
interface OidcProvider {
  callback(): (request: IncomingMessage, response: ServerResponse) => void
  on(event: 'grant.success' | 'grant.error', hear: (context: Granted) => void): void
  AccessToken: { find(value: string): Promise<Token | undefined> }
}
type OidcConstructor = new (issuer: string, configuration: object) => OidcProvider

export interface GuardedOptions {
  readonly access_seconds?: number
  /** Changes what the metadata of the server says. */
  readonly metadata?: (own: { resource: string; issuer: string }) => object
  /** What the refusal points to in place of the server's own metadata; `none` for no pointer. */
  readonly pointer?: string
  readonly scope?: string
}

/** An MCP server that only tokens of a real authorization server open; the hub is not registered there. */
export interface GuardedServer extends AsyncDisposable {
  readonly url: string
  readonly issuer: string
  /** Grants that were given, such as `refresh_token`, and those that were refused with a `!` before. */
  readonly grants: string[]
  /** Tokens that tools were called with. */
  readonly seen: Set<string>
  readonly sessions: { begun: number }
  /** Makes every token that was given count no more, and no refresh token either. */
  forget_all: boolean
  /** Called before each refresh is looked at. */
  beforeRefresh: (() => Promise<unknown>) | undefined
  /** Called before each refresh is answered, which was made by then. */
  beforeAnswer: (() => Promise<unknown>) | undefined
}

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

export async function startGuardedServer(options: GuardedOptions = {}): Promise<GuardedServer> {
  const name: string = 'oidc-provider'
  const { default: Provider } = (await import(name)) as { default: OidcConstructor }
  let authorize: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  let serve: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  const guard = await listen((request, response) => authorize?.(request, response))
  const mcp = await listen((request, response) => serve?.(request, response))
  const issuer = guard.origin
  const url = `${mcp.origin}/mcp`
  const oidc = new Provider(issuer, configurationOf(url, options))
  const made: GuardedServer = {
    url,
    issuer,
    grants: [],
    seen: new Set(),
    sessions: { begun: 0 },
    forget_all: false,
    beforeRefresh: undefined,
    beforeAnswer: undefined,
    async [Symbol.asyncDispose]() {
      await Promise.all([close(guard.server), close(mcp.server)])
    },
  }
  oidc.on('grant.success', ({ oidc: { params } }) => void made.grants.push(params.grant_type))
  oidc.on('grant.error', ({ oidc: { params } }) => void made.grants.push(`!${params.grant_type}`))
  const answer = oidc.callback()
  authorize = async (request, response) => {
    if (request.url === '/token') await made.beforeRefresh?.()
    const { beforeAnswer } = made
    if (request.url === '/token' && beforeAnswer) holdAnswer(response, beforeAnswer)
    if (request.url === '/token' && made.forget_all) return refuseGrant(made, request, response)
    answer(request, response)
  }
  const isLive = async (token: string) => {
    const found = made.forget_all ? undefined : await oidc.AccessToken.find(token)
    return found?.isValid === true && [found.aud].flat().includes(url)
  }
  serve = (request, response) => void serveMcp(made, options, isLive, request, response)
  return made
}

function holdAnswer(response: ServerResponse, until: () => Promise<unknown>): void {
  const end = response.end.bind(response) as (body: string) => ServerResponse
  response.end = ((body: string) => {
    void until().then(() => end(body))
    return response
  }) as typeof response.end
}

async function refuseGrant(made: GuardedServer, request: IncomingMessage, response: ServerResponse) {
  const sent = new URLSearchParams(await text(request))
  made.grants.push(`!${sent.get('grant_type')}`)
  response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}')
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

function configurationOf(url: string, { access_seconds = 3_600 }: GuardedOptions): object {
  return {
    clients: [],
    scopes: ['openid', 'offline_access', 'items'],
    features: {
      devInteractions: { enabled: true },
      revocation: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: async (_context: unknown, resource: string) => {
          if (resource !== url) throw new Error(`asked for ${resource}`)
          return { scope: 'items', audience: resource, accessTokenFormat: 'opaque' }
        },
        useGrantedResource: async () => true,
      },
    },
    findAccount: async (_context: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id }),
    }),
    issueRefreshToken: async () => true,
    rotateRefreshToken: () => true,
    pkce: { required: () => true },
    ttl: { AccessToken: access_seconds, Interaction: 600, Session: 600, Grant: 3_600, RefreshToken: 3_600 },
    cookies: { keys: ['a', 'b'] },
    clientDefaults: { grant_types: ['authorization_code', 'refresh_token'] },
  }
}

async function serveMcp(
  made: GuardedServer,
  options: GuardedOptions,
  isLive: (token: string) => Promise<boolean>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { origin } = new URL(made.url)
  const own = `${origin}/.well-known/oauth-protected-resource/mcp`
  const send = (status: number, body: object, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  if (request.url?.startsWith('/.well-known/oauth-protected-resource')) {
    const { issuer, url: resource } = made
    return void send(200, {
      resource,
      authorization_servers: [issuer],
      scopes_supported: ['items'],
      ...options.metadata?.({ resource, issuer }),
    })
  }
  const body = await text(request)
  const token = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
  if (!(await isLive(token))) {
    const { pointer = own, scope } = options
    const words = pointer === 'none' ? [] : [`resource_metadata="${pointer}"`]
    const challenge = ['Bearer error="invalid_token"', ...words, ...(scope ? [`scope="${scope}"`] : [])]
    return void send(401, { error: 'no' }, { 'www-authenticate': challenge.join(', ') })
  }
  if (!body.includes('"jsonrpc"') && request.headers.accept !== 'text/event-stream') {
    made.seen.add(token)
    return void send(200, { said: body === '' ? request.url : JSON.parse(body), as: token })
  }
  if (body === '') return void send(200, {})
  const { id, method, params } = JSON.parse(body) as { id?: number; method: string; params?: unknown }
  if (id === undefined) return void response.writeHead(202).end()
  if (method === 'tools/call') made.seen.add(token)
  if (method === 'initialize') made.sessions.begun++
  const session = method === 'initialize' ? { 'mcp-session-id': 'one' } : {}
  send(
    200,
    { jsonrpc: '2.0', id, result: resultOf(method, params, token) },
    session as Record<string, string>,
  )
}

function resultOf(method: string, params: unknown, token: string): object {
  if (method === 'initialize')
    return {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'guarded', version: '1' },
    }
  if (method === 'tools/list') return { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }
  const { arguments: sent = {} } = (params ?? {}) as { arguments?: { token?: boolean } }
  // A careless server that tells whoever calls it what it was called with.
  return { content: [{ type: 'text', text: sent.token ? `called with ${token}` : 'done' }] }
}
