import { afterAll, beforeAll, expect, vi } from 'vitest'
import {
  findConnection,
  setConnectionStatus,
} from '../../src/domains/control/connections/connection-store.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { verifies } from '../requirements/verifies.ts'
import { addConnection, type OwnedHub, startOwnedHub } from './connection-samples.ts'

/** How many in this database wait for what another holds. */
const waiting = sql<{ n: number }>(
  `SELECT COUNT(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
)

/** Within a transaction the server tells the same of its connections until it is told to look anew. */
const lookAnew = sql<object>('SELECT pg_stat_clear_snapshot()')

let hub: OwnedHub
beforeAll(async () => void (hub = await startOwnedHub({ database: 'postgres' })))
afterAll(() => hub.close())

/** Asks while somebody else revokes the connection: the call has begun, and comes to its turn only after that. */
async function askWhileRevoked(connection_id: string, method: string, path: string, body?: object) {
  let asked: ReturnType<OwnedHub['ask']> | undefined
  await hub.hub.db.transaction(async (tx) => {
    await setConnectionStatus(tx, connection_id, 'revoked', hub.hub.system.now())
    asked = hub.ask(method, path, body)
    await vi.waitFor(async () => {
      await tx.get(lookAnew)
      expect(Number((await tx.get(waiting))?.n)).toBeGreaterThan(0)
    }, 20_000)
  })
  const answer = await asked
  return [answer?.status, answer?.body.error?.code]
}

verifies(
  ['OWNR-052', 'OWNR-068'],
  'a call that waited for its connection acts on what the connection has become',
  async () => {
    const only = await addConnection(hub, { connector_id: 'feed', display_name: 'Before' })
    const renamed = await askWhileRevoked(only, 'PATCH', '/v1/owner/connectors/feed', { display_name: 'x' })
    // By its connector only an active one is meant, and there is none any more.
    expect(renamed).toEqual([404, 'connection_not_found'])
    expect((await findConnection(hub.hub.db, only))?.display_name).toBe('Before')
    const refused = [400, 'connector_instance_inactive']
    for (const [method, path, body] of [
      ['POST', '/revoke', undefined],
      ['POST', '/run', undefined],
      ['PUT', '/schedule', { interval_seconds: 600 }],
      ['POST', '/schedule/pause', undefined],
    ] as const) {
      const id = await addConnection(hub)
      expect([path, await askWhileRevoked(id, method, `/v1/owner/connections/${id}${path}`, body)]).toEqual([
        path,
        refused,
      ])
    }
  },
)
