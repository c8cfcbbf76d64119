import { pathParameters } from '../../src/operations/registry.ts'
import type { Reply, Request } from './call.ts'
import type { TestHub } from './test-hub.ts'

/** Calls an operation over HTTP, as its REST binding says. */
export async function callRest(hub: TestHub, request: Request): Promise<Reply> {
  const { method, url, body } = restRequest(request)
  const bearer = hub.credentials.bearers[request.as]
  const response = await fetch(`${request.gateway ?? hub.url}${url}`, {
    method,
    headers: {
      ...(bearer && { authorization: `Bearer ${bearer}` }),
      ...(request.vault && { 'x-vault-id': request.vault }),
      ...grantHeaders(request),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  })
  return { ok: response.ok, status: response.status, text: await response.text() }
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
