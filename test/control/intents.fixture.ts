import type { ShownIntent } from '../../src/domains/control/intents/intent-schemas.ts'
import { sql } from '../../src/platform/storage/database.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { makeAgent, ownerOrigin, setUpOwner, type Visitor } from './owner-visitor.ts'

/** Loopback, where all test sources are. */
export const LOOPBACK_SOURCES = {
  control: { allow_private_sources: ['127.0.0.0/8', '::1'] },
  rate_limits: { failed_authentications_per_minute: 1_000_000 },
}

/** An answer with what it says. */
export interface Told {
  status: number
  body: Record<string, unknown> & { error?: { type: string; code: string; message: string; param?: string } }
}

/** The owner and an agent of theirs, each with their own way to call. */
export interface People {
  readonly owner: Visitor
  readonly bearer: string
  readonly agent_id: string
  asAgent(method: string, path: string, body?: unknown): Promise<Told>
  asOwner(method: string, path: string, body?: unknown): Promise<Told>
  begin(connector_id: string, more?: object): Promise<ShownIntent>
}

export async function meet(hub: TestHub): Promise<People> {
  const owner = await setUpOwner(hub)
  const { bearer, agent_id } = await makeAgent(hub, owner)
  return { owner, bearer, agent_id, ...waysOf(hub, owner, bearer) }
}

/** How the two call. */
export function waysOf(hub: TestHub, owner: Visitor, bearer: string) {
  const origin = ownerOrigin(hub)
  const asAgent = async (method: string, path: string, body?: unknown) =>
    told(await send(hub.url, { method, path, bearer, ...bodyOf(body) }))
  const asOwner = async (method: string, path: string, body?: unknown) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    return told(await owner.ask({ method, path, headers: { origin, ...type }, ...bodyOf(body) }))
  }
  const begin = async (connector_id: string, more: object = {}) => {
    const made = await asAgent('POST', '/v1/owner/connections/intents', { connector_id, ...more })
    if (made.status !== 201) throw new Error(`not begun: ${JSON.stringify(made)}`)
    return made.body as unknown as ShownIntent
  }
  return { asAgent, asOwner, begin }
}

const bodyOf = (body: unknown) => (body === undefined ? {} : { body: JSON.stringify(body) })

function told({ status, text }: { status: number; text: string }): Told {
  return { status, body: text === '' ? {} : JSON.parse(text) }
}

const events = sql<{ event_json: string }>('SELECT event_json FROM owner_events ORDER BY seq')

/** What the owner's record of events tells. */
export async function eventsOf({ hub }: TestHub): Promise<Record<string, unknown>[]> {
  return (await hub.db.all(events)).map(({ event_json }) => JSON.parse(event_json))
}

const MADE = ['connections', 'connection_secrets', 'connection_schedules', 'owner_devices']
const TABLES = [...MADE, 'connection_intents', 'owner_events', 'audit_records']
const counts = new Map(MADE.map((table) => [table, sql<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`)]))

/** How many rows there are of all that a connection is made of. */
export async function countMade({ hub }: TestHub): Promise<Record<string, number>> {
  const made: Record<string, number> = {}
  for (const [table, count] of counts) made[table] = Number((await hub.db.get(count))?.n)
  return made
}

const dumps = TABLES.map((table) => sql<Record<string, unknown>>(`SELECT * FROM ${table}`))

/** Everything that was stored and logged, as one text, to look for what must not be in it. */
export async function everythingKept({ hub, logged }: TestHub): Promise<string> {
  const rows = await Promise.all(dumps.map((dump) => hub.db.all(dump)))
  return JSON.stringify(rows) + logged.join('\n')
}
