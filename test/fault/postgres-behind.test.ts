import { truncateSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Database, sql } from '../../src/platform/storage/database.ts'
import { openPostgres } from '../../src/platform/storage/postgres/postgres.ts'
import { runProgram, spawnHub, temporaryHome } from '../e2e/hub-process.fixture.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { freshPostgresUrl } from '../store/postgres-server.ts'
import { printTable, told } from './fault-home.fixture.ts'

printTable()
const LIMIT_MS = 120_000

interface Head {
  seq: number
  hash: string
  checkpoint_seq: number
  mac: string
}
const readHead = sql<Head>('SELECT seq, hash, checkpoint_seq, mac FROM audit_head')
const putHead = sql('UPDATE audit_head SET seq = ?, hash = ?, checkpoint_seq = ?, mac = ?')
const dropAfter = sql('DELETE FROM audit_records WHERE seq > ?')
const unrevoke = sql('UPDATE tokens SET revoked_at = NULL WHERE token_id = ?')

async function withStore<Result>(url: string, act: (db: Database) => Promise<Result>): Promise<Result> {
  const db = await openPostgres(url)
  try {
    return await act(db)
  } finally {
    await db.close()
  }
}

/** Puts the store back to where it was: what came after that is gone, a revocation among it. */
function takeBack(url: string, { seq, hash, checkpoint_seq, mac }: Head, token_id: string): Promise<void> {
  return withStore(url, (db) =>
    db.transaction(async (tx) => {
      await tx.run(dropAfter, seq)
      await tx.run(putHead, seq, hash, checkpoint_seq, mac)
      await tx.run(unrevoke, token_id)
    }),
  )
}

test(
  'a PostgreSQL that was put back is refused by each hub that knows better, and named with the way out',
  async () => {
    const url = await freshPostgresUrl()
    const env = { KNOWTATION_DATABASE_URL: url, KNOWTATION_AUDIT_KEY: 'a5'.repeat(32) }
    using one = temporaryHome()
    using other = temporaryHome()
    const run = (home: string, ...args: string[]) => runProgram([...args, '--home', home], env)
    const [first, second] = [one.home.folder, other.home.folder]
    const made = await run(first, 'token', 'create', '--role', 'viewer', '--json')
    const { token } = JSON.parse(made.stdout) as { token: { token_id: string } }
    expect((await run(second, 'token', 'list')).code).toBe(0)
    const before = await withStore(url, (db) => db.get(readHead))
    if (!before) throw new Error('The store has no chain.')
    expect((await run(first, 'token', 'revoke', token.token_id)).code).toBe(0)

    await takeBack(url, before, token.token_id)
    const refused = await run(first, 'serve', '--port', '0')
    told('PostgreSQL put back', refused.code === 0 ? 'lost' : 'refused')
    expect(refused.code).not.toBe(0)
    for (const words of [one.home.auditWitness, 'KNOWTATION_DATABASE_URL', 'audit accept-loss'])
      expect(refused.stderr).toContain(words)
    expect(await withStore(url, (db) => db.get(readHead))).toEqual(before)

    // The other hub has seen no more than what is there; it goes on, and the first one still knows better.
    const hub = await spawnHub({ home: second, env })
    expect((await send(hub.url, { path: '/healthz' })).status).toBe(200)
    await hub.end('SIGTERM')
    const still = await run(first, 'token', 'list')
    expect([still.code === 0, still.stderr]).toEqual([false, expect.stringContaining('audit-witness')])

    const accepted = await run(first, 'audit', 'accept-loss')
    expect([accepted.code, accepted.stdout]).toEqual([0, expect.stringContaining('on record')])
    expect((await run(first, 'audit', 'verify')).code).toBe(0)
    expect((await run(first, 'doctor')).stdout).toContain('accepted loss')
  },
  LIMIT_MS,
)

test(
  'a witness that is damaged or of another key is missed on PostgreSQL too',
  async () => {
    const env = { KNOWTATION_DATABASE_URL: await freshPostgresUrl() }
    using at = temporaryHome()
    const run = (...args: string[]) => runProgram([...args, '--home', at.home.folder], env)
    expect((await run('token', 'create', '--role', 'viewer')).code).toBe(0)
    truncateSync(at.home.auditWitness, 100)
    const refused = await run('token', 'list')
    told('witness damaged, on PostgreSQL', refused.code === 0 ? 'lost' : 'refused')
    expect([refused.code === 0, refused.stderr]).toEqual([
      false,
      expect.stringContaining(at.home.auditWitness),
    ])
  },
  LIMIT_MS,
)
