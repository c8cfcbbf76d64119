import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Home } from '../../src/platform/basics/home.ts'
import { hashSecret } from '../../src/platform/basics/secret-hash.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { hubTokenOf } from '../e2e/hub-process.fixture.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { type Json, policyWith } from './gate-hub.ts'
import { toolFlow } from './tool-servers.ts'

/** A hub as seen from outside: its address and a credential. */
export interface Hall {
  url: string
  token: string | undefined
}

export interface Answered {
  status: number
  body: Json
}

/** One request of many: connections are shared, as a busy client would. */
export async function post(
  { url, token }: Hall,
  path: string,
  body: object,
  bearer?: string,
): Promise<Answered> {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(bearer && { 'x-flow-external-bearer': bearer }),
    },
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: await answer.json() }
}

export const CROWD = { flow_id: 'flow_crowd', flow_version: '1.0.0' }

export const mintAt = (hall: Hall) =>
  post(hall, '/api/v1/flows/flow_crowd/external-grants', { ...CROWD, requested_tools: ['web_search'] })

export const invokeAt = (hall: Hall, bearer: string) =>
  post(hall, '/api/v1/flows/external-tools/web_search/invoke', CROWD, bearer)

export async function revokeAt({ url, token }: Hall, grant_id: string): Promise<Answered> {
  const path = `/api/v1/flows/external-grants/${grant_id}`
  const { status, text } = await send(url, { method: 'DELETE', path, bearer: token })
  return { status, body: JSON.parse(text) }
}

/** Writes a policy into a home that no hub has opened yet. */
export function writeHomePolicy(home: Home, external_agent: object = {}): void {
  const file = home.vaultPolicy('default')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(policyWith({ enabled: true, ...external_agent })))
}

/** Makes `flow_crowd` a flow, as an owner would. */
export async function publishCrowd(hall: Hall): Promise<void> {
  const bundle = toolFlow('flow_crowd', ['web_search'])
  const { body } = await post(hall, '/api/v1/flows', { bundle, intent: 'It helps.' })
  // What one credential proposed another approves.
  const { body: made } = await post(hall, '/api/v1/tokens', { role: 'admin' })
  const reviewer = { ...hall, token: made.bearer as string }
  const { status } = await post(reviewer, `/api/v1/proposals/${body.proposal_id}/approve`, {})
  if (status !== 200) throw new Error(`The flow was not approved: ${status}`)
}

export const hallOf = ({ url }: { url: string }, home: Home): Hall => ({ url, token: hubTokenOf(home) })

const insert = sql(
  `INSERT INTO flow_external_grants (grant_id, vault_id, scope, flow_id, flow_version, allowed_tools, expires_at,
    issued_at, revoked_at, actor_hash, max_invocations, invocation_count, grant_bearer_hash)
   VALUES (?, 'default', 'personal', 'flow_gate', '1.2.0', '["web_search"]', ?, ?, NULL, ?, 100, 0, ?)`,
)
const count = sql(
  `INSERT INTO flow_external_grant_counts (vault_id, stored) VALUES ('default', ?)
   ON CONFLICT (vault_id) DO UPDATE SET stored = flow_external_grant_counts.stored + ?`,
)
const readStored = sql<{ grants: number }>(`SELECT COUNT(*) AS grants FROM flow_external_grants`)

/** Puts grants that expired at a moment straight into the store; answers their bearers. */
export async function storeExpired({ hub }: TestHub, amount: number, expired: Date): Promise<string[]> {
  const bearers = Array.from({ length: amount }, () => `fgrnt_bearer_${randomBytes(32).toString('hex')}`)
  const [end, start] = [expired.toISOString(), new Date(expired.getTime() - 3_600_000).toISOString()]
  await hub.db.transaction(async (tx) => {
    for (const bearer of bearers) {
      const id = `fgrnt_${bearer.slice(13, 45)}`
      await tx.run(insert, id, end, start, 'a'.repeat(64), hashSecret(bearer))
    }
    await tx.run(count, amount, amount)
  })
  return bearers
}

export async function storedGrants({ hub }: Pick<TestHub, 'hub'>): Promise<number> {
  return Number((await hub.db.get(readStored))?.grants)
}

/** Everything a home's files hold, the write-ahead log included. */
export function homeText({ folder }: Home): string {
  if (!existsSync(folder)) return ''
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
    .join('\n')
}

/** Does something so many times at once. */
export const many = <Result>(amount: number, act: (at: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: amount }, (_, at) => act(at)))

/** What the calls came to: how many passed, and the codes of the rest. */
export function tally(answers: readonly Answered[]) {
  const refused = answers.filter(({ status }) => status !== 200)
  return {
    passed: answers.length - refused.length,
    codes: [...new Set(refused.map(({ body }) => body.code))],
  }
}
