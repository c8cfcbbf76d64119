import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAuditLog } from '../../src/platform/audit/audit-log.ts'
import { verifyChain } from '../../src/platform/audit/verify-chain.ts'
import { StorageDamaged, sql } from '../../src/platform/storage/database.ts'
import { openPostgres } from '../../src/platform/storage/postgres/postgres.ts'
import { ask } from '../boundary/boundary-hub.ts'
import { DATABASES, startTestHub, type TestHub } from '../harness/test-hub.ts'
import { auditStore } from './audit-store.ts'
import { freshPostgresUrl } from './postgres-server.ts'

const CHANGES = [
  ['UPDATE audit_head SET seq = seq - 1', 'The head of the chain was changed.'],
  ['UPDATE audit_head SET checkpoint_seq = checkpoint_seq + 1', 'The head of the chain was changed.'],
  [`UPDATE audit_head SET mac = 'none'`, 'The head of the chain was changed.'],
  ['DELETE FROM audit_head', 'The head of the chain is missing.'],
] as const

describe.each(DATABASES)('an audit chain on %s whose head was changed by hand', (database) => {
  let hub: TestHub
  beforeAll(async () => void (hub = await startTestHub({ database })))
  afterAll(() => hub.close())
  const owned = (name: string) => ask(hub, name, {}, { as: 'owner' })

  test.each(CHANGES)(
    'is told by `audit verify` and `doctor`, and takes no record: %s',
    async (change, fault) => {
      expect((await owned('audit_verify')).body.intact).toBe(true)
      await hub.hub.db.transaction((tx) => tx.run(sql(change)))
      const verified = await owned('audit_verify')
      expect([verified.status, verified.body.intact, verified.body.fault]).toEqual([200, false, fault])
      const examined = await owned('doctor')
      expect(examined.status).toBe(200)
      expect(examined.body.findings).toContainEqual(
        expect.objectContaining({ subject: 'audit chain', state: 'wrong', detail: fault }),
      )
      // Everything else stays undone: nothing happens that cannot be recorded.
      for (const name of ['token_list', 'token_create', 'audit_list']) {
        const told = await ask(hub, name, name === 'token_create' ? { role: 'viewer' } : {}, { as: 'hub' })
        expect([name, told.status, told.code]).toEqual([name, 500, 'RUNTIME_ERROR'])
      }
      await putBack()
    },
  )

  test('is told where a record was put beyond its end, and takes none then', async () => {
    const { db } = hub.hub
    const all = sql<Record<string, string | number | null>>(
      'SELECT * FROM audit_records ORDER BY seq DESC LIMIT 1',
    )
    const last = await db.get(all)
    if (!last) throw new Error('There are no records.')
    const added = { ...last, seq: Number(last.seq) + 1 }
    const names = Object.keys(added)
    const insert = sql(`INSERT INTO audit_records (${names}) VALUES (${names.map(() => '?')})`)
    await db.transaction((tx) => tx.run(insert, ...Object.values(added)))
    const fault = `Record ${added.seq} lies beyond the sealed head.`
    const verified = await owned('audit_verify')
    expect([verified.status, verified.body.intact, verified.body.fault]).toEqual([200, false, fault])
    expect((await owned('doctor')).body.findings).toContainEqual(
      expect.objectContaining({ subject: 'audit chain', state: 'wrong', detail: fault }),
    )
    const told = await ask(hub, 'token_create', { role: 'viewer', label: 'unrecorded' }, { as: 'hub' })
    expect([told.status, told.code]).toEqual([500, 'RUNTIME_ERROR'])
    await db.transaction((tx) => tx.run(sql('DELETE FROM audit_records WHERE seq = ?'), added.seq))
    const { tokens } = (await owned('token_list')).body
    expect(JSON.stringify(tokens)).not.toContain('unrecorded')
    expect((await owned('audit_verify')).body.intact).toBe(true)
  })

  test('is not begun anew where all of it was taken out', async () => {
    const { db, audit } = hub.hub
    const taken = ['audit_records', 'audit_checkpoints', 'audit_head', 'hub_meta'].map((table) =>
      sql(`DELETE FROM ${table}`),
    )
    await db.transaction(async (tx) => {
      for (const statement of taken) await tx.run(statement)
    })
    await expect(openAuditLog(db, audit.key)).rejects.toThrow(StorageDamaged)
    expect(await db.get(sql('SELECT * FROM audit_head'))).toBeUndefined()
  })

  /** Seals the end of the chain as it is, with the hub's own key. */
  async function putBack(): Promise<void> {
    const { db, audit } = hub.hub
    const last = sql<{ seq: number; hash: string }>(
      'SELECT seq, hash FROM audit_records ORDER BY seq DESC LIMIT 1',
    )
    await db.transaction(async (tx) => {
      const end = await tx.get(last)
      if (!end) throw new Error('There are no records.')
      const mac = audit.key.sealHead({ ...end, checkpoint_seq: 0 })
      await tx.run(sql('DELETE FROM audit_head'))
      const insert = sql(
        'INSERT INTO audit_head (only_row, seq, hash, checkpoint_seq, mac) VALUES (1, ?, ?, 0, ?)',
      )
      await tx.run(insert, end.seq, end.hash, mac)
    })
    expect(await verifyChain(db, audit.key)).toMatchObject({ intact: true })
  }
})

test('an audit chain begins in a PostgreSQL that others use too', async () => {
  const db = await openPostgres(await freshPostgresUrl())
  await db.transaction(async (tx) => {
    await tx.run(sql('CREATE TABLE of_others (word TEXT)'))
    await tx.run(sql(`INSERT INTO of_others VALUES ('theirs')`))
  })
  const { key } = await auditStore(1, db)
  expect(await verifyChain(db, key)).toMatchObject({ intact: true })
})
