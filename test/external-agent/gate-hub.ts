import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Grant } from '../../src/domains/flows/grants/grant-record.ts'
import { call, type Request, requireOperation, type Way } from '../harness/call.ts'
import { startTestHub, storeFlows, type TestHub, type TestHubOptions } from '../harness/test-hub.ts'
import { STORED_FLOWS } from './bundles.ts'

export const GATE = 'FLOW_EXTERNAL_AGENT_ENABLED'

/** What the vaults of these tests allow; `pager_call` is never among it. */
export const ALLOWED_TOOLS = [
  { id: 'web_search', description: 'Scoped web retrieval' },
  { id: 'slack_notify', description: 'Post to allowed channels' },
  { id: 'alpha', description: 'First' },
  { id: 'beta', description: 'Second' },
  { id: 'late_tool', description: 'Declared by a later version only' },
]

/** A vault policy with everything open but the gate itself, which the environment sets. */
export function policyWith(external_agent: object = {}): object {
  return {
    flow_authoring: { writes_enabled: true },
    flow_runs: { writes_enabled: true },
    external_agent: { allowed_tools: ALLOWED_TOOLS, ...external_agent },
  }
}

/** A hub with the flows of these tests, its gate on or off. */
export async function startGateHub(gate: 'on' | 'off', options: TestHubOptions = {}): Promise<TestHub> {
  const env = { [GATE]: gate === 'on' ? '1' : '0', ...options.env }
  const hub = await startTestHub({ policy: policyWith(), ...options, env })
  await storeFlows(hub.hub, 'default', STORED_FLOWS)
  return hub
}

/** Turns the gate; it counts from the next call. */
export function turnGate({ options }: TestHub, value: string | undefined): void {
  if (value === undefined) delete options.env[GATE]
  else options.env[GATE] = value
}

export function writePolicy(hub: TestHub, external_agent: object = {}): void {
  hub.write(hub.home.vaultPolicy('default'), policyWith(external_agent))
}

/** A JSON document as a test looks into it. */
export type Json = any

export interface Told {
  status: number | undefined
  code: string | undefined
  body: Json
  text: string
}

type Asked = Partial<Omit<Request, 'operation' | 'input'>> & { way?: Way }

/** Calls an operation, over REST and as an editor unless told otherwise. */
export async function ask(hub: TestHub, name: string, input: object = {}, how: Asked = {}): Promise<Told> {
  const { way = 'rest', as = 'editor', ...more } = how
  const request = { ...more, as, operation: requireOperation(name), input: { ...input } }
  const { status, text } = await call(hub, way, request)
  const body: Json = JSON.parse(text)
  return { status, code: body.code, body, text }
}

/** One request to a path of the REST surface, as an editor. */
export async function rest(hub: TestHub, method: string, path: string, body?: object) {
  const response = await fetch(`${hub.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${hub.credentials.bearers.editor}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Json }
}

export const MINT_INPUT = {
  flow_id: 'flow_gate',
  flow_version: '1.2.0',
  requested_tools: ['web_search'],
}
/** What an invoke of the usual grant names. */
export const USE = { tool_id: 'web_search', flow_id: 'flow_gate', flow_version: '1.2.0' }

export interface Minted {
  grant: Grant
  bearer: string
  /** The bearer as it is held up. */
  presented: { external_bearer: string }
}

/** Mints a grant, by default for one tool of `flow_gate` 1.2.0. */
export async function mint(hub: TestHub, changes: object = {}, how: Asked = {}): Promise<Minted> {
  const { text, body } = await ask(hub, 'flow_external_grant_mint', { ...MINT_INPUT, ...changes }, how)
  if (body.grant === undefined) throw new Error(text)
  return { grant: body.grant, bearer: body.bearer, presented: { external_bearer: body.bearer } }
}

/** The grants that a list shows, newest first. */
export async function listed(hub: TestHub, input: object = {}, how: Asked = {}): Promise<Grant[]> {
  return (await ask(hub, 'flow_external_grant_list', input, how)).body.grants
}

/** The bundle that an agent reads out of a projection's answer. */
export function bundleIn({ body }: Told): Json {
  return JSON.parse(body.projection.rendered)
}

/** A gateway as it stands before a hosted hub: all that comes in goes on under the hosted name. */
export async function startGateway(
  hub: TestHub,
  host = 'api.knowtation.store',
): Promise<{ url: string; close(): Promise<void> }> {
  const { hostname, port } = new URL(hub.url)
  const server = createServer((incoming, outgoing) => {
    const { method, url: path } = incoming
    const headers = { ...incoming.headers, host }
    const onward = send({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((closed) => server.close(() => closed()))
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}
