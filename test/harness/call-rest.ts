import { pathParameters } from '../../src/operations/registry.ts'
import { findOwnerName } from '../../src/platform/identity/owner-name.ts'
import { openOwnerSession } from '../../src/platform/identity/owner-sessions.ts'
import { type Received, type Sent, send } from '../rest/rest-hub.fixture.ts'
import type { Reply, Request } from './call.ts'
import type { TestHub } from './test-hub.ts'

/** Calls an operation over HTTP, as its REST binding says. */
export async function callRest(hub: TestHub, request: Request): Promise<Reply> {
  const { method, url, body } = restRequest(request)
  const bearer = hub.credentials.bearers[request.as]
  const headers = {
    ...(bearer && { authorization: `Bearer ${bearer}` }),
    ...(request.vault && { 'x-vault-id': request.vault }),
    ...grantHeaders(request),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  if (request.as === 'owner') {
    const own = { ...headers, ...(await sessionHeaders(hub)) }
    const { status, text } = await send(hub.url, { method, path: url, headers: own, ...(body && { body }) })
    return { ok: status < 400, status, text }
  }
  const response = await fetch(`${request.gateway ?? hub.url}${url}`, {
    method,
    headers,
    ...(body !== undefined && { body }),
  })
  return { ok: response.ok, status: response.status, text: await response.text() }
}

/** What a browser sends in which the owner has just signed in. */
export async function sessionHeaders({
  hub,
  url,
}: Pick<TestHub, 'hub' | 'url'>): Promise<Record<string, string>> {
  const { db, system, ownerName } = hub
  const by = { method: 'link', client: 'other' } as const
  const { bearer } = await db.transaction((tx) => openOwnerSession(tx, system, by))
  const { port } = new URL(url)
  const host = `${ownerName ?? (await findOwnerName(db))}:${port}`
  return { host, origin: `http://${host}`, cookie: `knowtation_owner_${port}=${bearer}` }
}

/** One request of the owner's, as a browser sends it. */
export async function sendAsOwner(
  hub: Pick<TestHub, 'hub' | 'url'>,
  { headers, ...sent }: Sent,
): Promise<Received> {
  return send(hub.url, { ...sent, headers: { ...(await sessionHeaders(hub)), ...headers } })
}

/** The headers in which a grant travels. */
export function grantHeaders({ presented = {} }: Pick<Request, 'presented'>): Record<string, string> {
  const { external_bearer, grant_id } = presented
  return {
    ...(external_bearer !== undefined && { 'x-flow-external-bearer': external_bearer }),
    ...(grant_id !== undefined && { 'x-flow-grant-id': grant_id }),
  }
}

/** The input spread over path, query and body. */
function restRequest({ operation, input }: Request): {
  method: string
  url: string
  body: string | undefined
} {
  const [method = '', path = ''] = (operation.rest ?? '').split(' ')
  const inPath = pathParameters(path)
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])))
  const rest = Object.entries(input).filter(([name]) => !inPath.includes(name))
  if (method !== 'GET' && method !== 'DELETE')
    return { method, url, body: JSON.stringify(Object.fromEntries(rest)) }
  const query = new URLSearchParams(
    rest.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return { method, url: query ? `${url}?${query}` : url, body: undefined }
}
