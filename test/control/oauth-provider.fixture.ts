import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What is used of the provider's library, which has no types of its own. */
interface OidcProvider {
  callback(): (request: IncomingMessage, response: ServerResponse) => void
  AccessToken: { find(value: string): Promise<{ isValid: boolean } | undefined> }
}
type OidcConstructor = new (issuer: string, configuration: object) => OidcProvider

export interface TestProvider extends AsyncDisposable {
  readonly issuer: string
  readonly client_id: string
  readonly client_secret: string
  /** A paged JSON list that only a live token opens. */
  readonly list_url: string
  /** Tokens that the list was asked with, in order. */
  readonly seen: string[]
  /** What the provider itself was asked, as `METHOD path`. */
  readonly asked: string[]
  /** Makes the list answer this instead. */
  break_list: number | undefined
  /** What happens elsewhere after the list was asked and before it answers. */
  meanwhile: (() => Promise<unknown>) | undefined
  isLive(token: string): Promise<boolean>
}

/** A real OAuth provider on loopback: authorisation code with PKCE, refresh with rotation, revocation. */
export async function startProvider(
  redirect_uris: readonly string[],
  options: { access_seconds?: number; confidential?: boolean } = {},
): Promise<TestProvider> {
  const name: string = 'oidc-provider'
  const { default: Provider } = (await import(name)) as { default: OidcConstructor }
  let handle: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  const server = createServer((request, response) => handle?.(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client_secret = options.confidential ? 'a-secret-of-the-client-at-the-provider' : ''
  const oidc = new Provider(issuer, {
    clients: [
      {
        client_id: 'knowtation-hub',
        ...(client_secret && { client_secret }),
        redirect_uris,
        application_type: 'native',
        token_endpoint_auth_method: client_secret ? 'client_secret_post' : 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    scopes: ['openid', 'offline_access', 'items'],
    features: { devInteractions: { enabled: true }, revocation: { enabled: true } },
    findAccount: async (_context: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id }),
    }),
    issueRefreshToken: async () => true,
    pkce: { required: () => true },
    ttl: { AccessToken: options.access_seconds ?? 3_600, Interaction: 600, Session: 600, Grant: 3_600 },
    cookies: { keys: ['a', 'b'] },
    jwks: undefined,
  })
  const asked: string[] = []
  const seen: string[] = []
  const provider: TestProvider = {
    issuer,
    client_id: 'knowtation-hub',
    client_secret,
    list_url: `${issuer}/api/items`,
    seen,
    asked,
    break_list: undefined,
    meanwhile: undefined,
    isLive: async (token) => (await oidc.AccessToken.find(token))?.isValid === true,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const answer = oidc.callback()
  handle = (request, response) => {
    asked.push(`${request.method} ${request.url?.replace(/\?.*$/s, '')}`)
    if (request.url?.startsWith('/api/items')) void answerList(provider, request, response)
    else answer(request, response)
  }
  return provider
}

async function answerList(
  provider: TestProvider,
  { headers, url = '' }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const token = headers.authorization?.replace(/^Bearer /, '') ?? ''
  provider.seen.push(token)
  const isOpen = await provider.isLive(token)
  await provider.meanwhile?.()
  const status = provider.break_list ?? (isOpen ? 200 : 401)
  const page = Number(new URL(url, provider.issuer).searchParams.get('cursor') ?? '0')
  const data = [0, 1].map((at) => ({ id: page * 2 + at, text: `item ${page * 2 + at}` }))
  const body = status === 200 ? { data, next_cursor: page < 2 ? String(page + 1) : null } : { error: 'no' }
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Gives access as a person would: follows the provider's pages and sends its forms. Answers the callback. */
export async function giveAccess(
  authorization_url: string,
  decide: 'allow' | 'abort' = 'allow',
): Promise<URL> {
  const jar = new Map<string, string>()
  const { origin } = new URL(authorization_url)
  let next: { url: string; body?: URLSearchParams } = { url: authorization_url }
  for (let step = 0; step < 12; step++) {
    const response = await ask(next, jar)
    const location = response.headers.get('location')
    if (location !== null) {
      const url = new URL(location, next.url)
      if (url.origin !== origin) return url
      next = { url: url.href }
      continue
    }
    const page = await response.text()
    if (decide === 'abort') {
      const abort = /href="([^"]*\/abort)"/.exec(page)?.[1]
      if (abort === undefined) throw new Error('no way to say no')
      next = { url: new URL(abort, next.url).href }
      continue
    }
    next = filledForm(page, next.url)
  }
  throw new Error('the provider did not come to an end')
}

function filledForm(page: string, url: string): { url: string; body: URLSearchParams } {
  const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1]
  const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
  if (action === undefined || prompt === undefined) throw new Error(`no form: ${page.slice(0, 400)}`)
  const fields = prompt === 'login' ? { prompt, login: 'the-owner', password: 'any' } : { prompt }
  return { url: new URL(action, url).href, body: new URLSearchParams(fields) }
}

async function ask(
  { url, body }: { url: string; body?: URLSearchParams },
  jar: Map<string, string>,
): Promise<Response> {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { cookie },
    ...(body && { method: 'POST', body }),
  })
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value === '') jar.delete(name)
    else jar.set(name, value)
  }
  return response
}
