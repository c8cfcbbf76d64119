import { hash } from 'node:crypto'
import BetterSqlite from 'better-sqlite3'
import { hashSecret } from '../src/platform/basics/secret-hash.ts'
import { GRANT_FLOW, TOOL } from './grant-home.ts'

const BATCH = 50_000
const DAY_MS = 86_400_000
/** The whole table fits in: with less, filling it would take minutes. */
const CACHE_KIB = 1_500_000

/** The bearer of the stored grant at this place. */
export const bearerAt = (place: number) => `fgrnt_bearer_${hash('sha256', `bearer ${place}`)}`

/** Puts so many live grants into a home's database, as a hub would have written them over the last day. */
export function storeGrants(database: string, count: number, now = Date.now()): void {
  const db = new BetterSqlite(database)
  db.pragma('journal_mode = MEMORY')
  db.pragma('synchronous = OFF')
  db.pragma(`cache_size = -${CACHE_KIB}`)
  const insert = db.prepare(
    `INSERT INTO flow_external_grants (grant_id, vault_id, scope, flow_id, flow_version, allowed_tools,
      expires_at, issued_at, revoked_at, actor_hash, max_invocations, invocation_count, grant_bearer_hash)
     VALUES (?, 'default', 'personal', ?, ?, ?, ?, ?, NULL, ?, 0, 0, ?)`,
  )
  const tools = JSON.stringify([TOOL])
  const actor = hash('sha256', 'actor')
  const addBatch = db.transaction((from: number, end: number) => {
    for (let place = from; place < end; place++) {
      const issued = now - DAY_MS / 2 + Math.floor((place / count) * (DAY_MS / 4))
      const grant_id = `fgrnt_${hash('sha256', `grant ${place}`).slice(0, 32)}`
      const moments = [issued + DAY_MS, issued].map((moment) => new Date(moment).toISOString())
      const { flow_id, flow_version } = GRANT_FLOW
      insert.run(grant_id, flow_id, flow_version, tools, ...moments, actor, hashSecret(bearerAt(place)))
    }
  })
  for (let from = 0; from < count; from += BATCH) addBatch(from, Math.min(from + BATCH, count))
  db.prepare('INSERT INTO flow_external_grant_counts (vault_id, stored) VALUES (?, ?)').run('default', count)
  db.pragma('journal_mode = WAL')
  db.close()
}
