import { sessionHeaders } from '../harness/call-rest.ts'
import { type Clock, type DatabaseName, storeFlows, type TestHub } from '../harness/test-hub.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { type Json, type Minted, mint, policyWith, startGateHub } from './gate-hub.ts'
import { type Endpoint, startEndpoint, toolFlow } from './tool-servers.ts'

export const pin = { flow_id: 'flow_bounded', flow_version: '1.0.0' }
const TOOLS = ['post', 'first', 'plain', 'nothing']

/** A hub with tools that ask first, and the endpoint behind them. */
export interface AskingHub {
  readonly hub: TestHub
  readonly endpoint: Endpoint
  readonly grant: Minted
  /** Another policy, which differs in the description of a tool that nobody calls. */
  changePolicy(words: string): void
  close(): Promise<void>
}

export interface AskingOptions {
  database?: DatabaseName
  clock?: Clock
  config?: object
}

export function askingPolicy(url: string, words = 'nothing'): object {
  const provider = { name: 'web' }
  return policyWith({
    max_invocations: 10_000,
    max_ttl_seconds: 86_400,
    providers: { web: { kind: 'http', url } },
    allowed_tools: [
      { id: 'post', provider, approval: 'each_call' },
      { id: 'first', provider, approval: 'first_call' },
      { id: 'plain', provider },
      { id: 'nothing', description: words, approval: 'each_call' },
    ],
  })
}

export async function startAskingHub(options: AskingOptions = {}): Promise<AskingHub> {
  const endpoint = await startEndpoint()
  const hub = await startGateHub('on', { ...options, policy: askingPolicy(endpoint.url) })
  await storeFlows(hub.hub, 'default', [toolFlow(pin.flow_id, TOOLS)])
  const grant = await mint(hub, { ...pin, requested_tools: TOOLS, ttl_seconds: 86_400 })
  return {
    hub,
    endpoint,
    grant,
    changePolicy: (words) => hub.write(hub.home.vaultPolicy('default'), askingPolicy(endpoint.url, words)),
    async close() {
      await hub.close()
      await endpoint.close()
    },
  }
}

interface Answer {
  readonly status: number
  readonly body: Json
  readonly headers: Headers
}

/** One call of a tool under the grant, held no longer than `wait` seconds. */
export async function call(
  { hub, grant }: Pick<AskingHub, 'hub' | 'grant'>,
  tool_id: string,
  payload: object,
  { wait = 0, signal }: { wait?: number; signal?: AbortSignal } = {},
): Promise<Answer> {
  const response = await fetch(`${hub.url}/api/v1/flows/external-tools/${tool_id}/invoke`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${hub.credentials.bearers.editor}`,
      'x-flow-external-bearer': grant.presented.external_bearer ?? '',
      'content-type': 'application/json',
      prefer: `wait=${wait}`,
    },
    body: JSON.stringify({ ...pin, payload }),
    ...(signal && { signal }),
  })
  return { status: response.status, body: await response.json(), headers: response.headers }
}

/** The owner's own request, with a session. */
export async function asOwner(hub: TestHub, method: string, path: string, body?: object): Promise<Json> {
  const headers = {
    ...(await sessionHeaders(hub)),
    ...(body && { 'content-type': 'application/json' }),
  }
  const { status, text } = await send(hub.url, {
    method,
    path,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status, body: JSON.parse(text) }
}

/** What waits, newest first, with the arguments. */
export async function waiting(hub: TestHub): Promise<Json[]> {
  const { body } = await asOwner(hub, 'GET', '/v1/owner/approvals?state=waiting')
  const shown = body.data.map(({ approval_id }: Json) =>
    asOwner(hub, 'GET', `/v1/owner/approvals/${approval_id}`),
  )
  return (await Promise.all(shown)).map((one) => one.body)
}

/** The owner's word on a request, as it was shown. */
export async function decide(
  hub: TestHub,
  approval_id: string,
  decision: 'approve' | 'deny',
  more: object = {},
) {
  const { body } = await asOwner(hub, 'GET', `/v1/owner/approvals/${approval_id}`)
  const said = { decision, digest: body.digest, ...more }
  return asOwner(hub, 'POST', `/v1/owner/approvals/${approval_id}/decision`, said)
}
