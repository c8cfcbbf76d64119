import { createHash, randomBytes } from 'node:crypto'
import { allOperations } from '../../src/domains/index.ts'
import { buildRegistry } from '../../src/operations/registry.ts'
import { runOperation } from '../../src/operations/run-operation.ts'
import { localCaller } from '../../src/platform/identity/caller.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { flowUsing, OPEN_POLICY, publishOverRest } from '../browser/owner-browser.fixture.ts'
import { setUpOwner, type Visitor } from '../control/owner-visitor.ts'
import { type Clock, startTestHub, type TestHub, type TestHubOptions } from '../harness/test-hub.ts'
import { type Received, send } from '../rest/rest-hub.fixture.ts'

export const CALLBACK = 'http://127.0.0.1:43111/callback'
export const FLOW = flowUsing('flow_connected', 'web_search', 'calendar')

/** A hub with an owner, an open policy and a flow with two tools. */
export async function startSignInHub(options: TestHubOptions = {}) {
  const hub = await startTestHub({ policy: OPEN_POLICY, ...options })
  const owner = await setUpOwner(hub)
  await publishOverRest(hub, FLOW)
  return { hub, owner }
}

export interface Asked {
  readonly client_id: string
  readonly verifier: string
  /** Where the browser is sent to. */
  readonly answer: Received
  /** The page of the consent. */
  readonly path: string
}

export function post(hub: Pick<TestHub, 'url'>, path: string, fields: Record<string, string>) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return send(hub.url, { method: 'POST', path, headers, body: new URLSearchParams(fields).toString() })
}

export function register(hub: Pick<TestHub, 'url'>, body: object): Promise<Received> {
  return send(hub.url, { method: 'POST', path: '/oauth/register', body: JSON.stringify(body) })
}

/** A program that registers and sends the owner's browser. */
export async function askToComeIn(
  hub: Pick<TestHub, 'url'>,
  changes: Record<string, string | undefined> = {},
  client: object = { client_name: 'A program', redirect_uris: [CALLBACK] },
  headers: Record<string, string> = {},
): Promise<Asked> {
  const registered = await register(hub, client)
  const { client_id } = JSON.parse(registered.text) as { client_id: string }
  const verifier = randomBytes(32).toString('base64url')
  const all = {
    response_type: 'code',
    client_id,
    redirect_uri: CALLBACK,
    state: 'a state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${hub.url}/mcp`,
    ...changes,
  }
  const query = new URLSearchParams(
    Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
  const answer = await send(hub.url, { path: `/oauth/authorize?${query}`, headers })
  return { client_id, verifier, answer, path: String(answer.headers.location) }
}

export const GRANT = {
  flow_id: 'flow_connected',
  flow_version: FLOW.flow.version,
  'tool.0': 'web_search',
  ttl_seconds: '900',
  max_invocations: '5',
  standing_seconds: '604800',
  label: 'My program',
}
export const MEMBER = { role: 'viewer', vault: 'default', standing_seconds: '604800', label: 'My member' }

/** What the form of the page says that the owner has seen. */
export async function seenOn(owner: Visitor, path: string, flow = GRANT.flow_id): Promise<{ shown: string }> {
  const { text } = await owner.get(`${path}${path.includes('?') ? '&' : '?'}flow=${flow}`)
  return { shown: /name="shown" value="([0-9a-f]{64})"/.exec(text)?.[1] ?? '' }
}

/** The owner allows what is in `choice`; answers where the browser is sent to. */
export async function allow(owner: Visitor, path: string, choice: Record<string, string> = GRANT) {
  const answer = await owner.post(`${path}/allow`, { ...(await seenOn(owner, path)), ...choice })
  return {
    answer,
    location: answer.headers.location === undefined ? undefined : new URL(answer.headers.location),
  }
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_in: number
}

export function exchange(
  hub: Pick<TestHub, 'url'>,
  asked: Asked,
  code: string,
  changes: Record<string, string> = {},
) {
  return post(hub, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: asked.client_id,
    code,
    redirect_uri: CALLBACK,
    code_verifier: asked.verifier,
    ...changes,
  })
}

export function refresh(hub: Pick<TestHub, 'url'>, client_id: string, refresh_token: string) {
  return post(hub, '/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token })
}

/** The whole way: a program that was allowed in. */
export async function connect(hub: TestHub, owner: Visitor, choice: Record<string, string> = GRANT) {
  const asked = await askToComeIn(hub)
  const { location } = await allow(owner, asked.path, choice)
  const answer = await exchange(hub, asked, location?.searchParams.get('code') ?? '')
  if (answer.status !== 200) throw new Error(answer.text)
  return { ...asked, tokens: JSON.parse(answer.text) as Tokens }
}

const HEADERS = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' }

/** One request to `/mcp`, and the result in its answer. */
export async function ask(
  hub: Pick<TestHub, 'url'>,
  bearer: string | undefined,
  method: string,
  params: object = {},
  headers: Record<string, string> = {},
) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await send(hub.url, {
    method: 'POST',
    path: '/mcp',
    bearer,
    body,
    headers: { ...HEADERS, ...headers },
  })
  const data = /^data: (.*)$/m.exec(answer.text)?.[1]
  return {
    status: answer.status,
    headers: answer.headers,
    text: answer.text,
    result: data && JSON.parse(data).result,
  }
}

/** The names of the tools that a token opens; nothing where it opens nothing. */
export async function toolsOf(
  hub: Pick<TestHub, 'url'>,
  bearer: string,
  headers: Record<string, string> = {},
): Promise<string[] | number> {
  const { status, result } = await ask(hub, bearer, 'tools/list', {}, headers)
  return status === 200 ? (result.tools as { name: string }[]).map(({ name }) => name) : status
}

/** An answer's body. */
export const read = ({ text }: { text: string }) => JSON.parse(text)

const countStored = sql<{ records: number; consents: number }>(
  `SELECT (SELECT COUNT(*) FROM oauth_records) AS records, (SELECT COUNT(*) FROM mcp_consents) AS consents`,
)
const clearAttempts = sql('DELETE FROM identity_attempts')

async function stored({ hub: { db } }: TestHub): Promise<[number, number]> {
  const found = await db.get(countStored)
  return [Number(found?.records), Number(found?.consents)]
}

/** Lets a test try as often as it needs. */
export async function forgetAttempts({ hub: { db } }: TestHub): Promise<void> {
  await db.transaction((tx) => tx.run(clearAttempts))
}

/** How many records of the sign-in, and how many consents, an act has left behind. */
export async function leftBy(hub: TestHub, act: () => Promise<unknown>): Promise<[number, number]> {
  const before = await stored(hub)
  await act()
  const after = await stored(hub)
  return [after[0] - before[0], after[1] - before[1]]
}

const registry = buildRegistry(allOperations)

/** What the owner does at the command line. */
export async function command({ hub }: TestHub, name: string, input: object = {}) {
  const operation = registry.get(name)
  if (!operation) throw new Error(name)
  const call = { operation, surface: 'cli', caller: localCaller('knowtation'), address: 'local' } as const
  return read(await runOperation(hub, { ...call, vault: undefined, input }))
}

/** The newest consent. */
export async function newestConsent(hub: TestHub) {
  const { data } = await command(hub, 'owner_consent_list')
  return data[0]
}

/** A clock that a test moves. */
export function movedClock(): Clock & { forward(seconds: number): void } {
  const clock: Clock = { now: new Date('2026-11-19T08:00:00.000Z') }
  return Object.assign(clock, {
    forward(seconds: number) {
      clock.now = new Date((clock.now as Date).getTime() + seconds * 1_000)
    },
  })
}
