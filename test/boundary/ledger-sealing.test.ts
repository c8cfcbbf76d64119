import { describe, expect, test } from 'vitest'
import { chainHash } from '../../src/domains/boundary/ledger/ledger-record.ts'
import { insertEntries, lockHead, writeHead } from '../../src/domains/boundary/ledger/ledger-store.ts'
import { sealLedger } from '../../src/domains/boundary/ledger/seal-ledger.ts'
import { sealOf } from '../../src/domains/boundary/ledger/seal-of.ts'
import { GENESIS_HASH } from '../../src/platform/audit/audit-record.ts'
import { pruneAudit } from '../../src/platform/audit/checkpoint.ts'
import { verifyJournal } from '../../src/platform/audit/verify-journal.ts'
import type { Database, Transaction } from '../../src/platform/storage/database.ts'
import { DATABASES, startTestHub, type TestHub } from '../harness/test-hub.ts'
import { addEntry, ask, inputOf, startBoundaryHub, traceRun } from './boundary-hub.ts'
import { change, diagnose, LEDGER_TABLES as TABLES, verify } from './ledger-tampering.ts'

const ADMIN = { as: 'admin' } as const

describe.each(DATABASES)('the ledger of a home on %s', (database) => {
  test('that is older than its journal opens, is sealed from then on, and says since when', async () => {
    await using hub = await startTestHub({ database })
    await hub.hub.db.transaction((tx) => appendAsBefore(tx, hub, 't-old'))
    await hub.hub.db.transaction((tx) => appendAsBefore(tx, hub, 't-gone'))
    expect(await verify(hub)).toMatchObject({ intact: true, sealed_since: null })
    expect((await diagnose(hub)).detail).toContain('not sealed yet')
    await sealLedger(hub.hub)
    const report = await verify(hub)
    expect(report).toMatchObject({ intact: true, sealed_since: expect.stringMatching(/^20/) })
    await addEntry(hub, 'led-new', 't-old')
    expect((await verify(hub)).tenants).toMatchObject([{ entries: 1 }, { entries: 2 }])
    await hub.hub.db.transaction(async (tx) => {
      await change(tx, `DELETE FROM ledger_entries WHERE tenant_id = 't-gone'`)
      await change(tx, `DELETE FROM ledger_heads WHERE tenant_id = 't-gone'`)
    })
    expect((await verify(hub)).fault).toContain('Tenant t-gone: Entry 1 is missing')
  })

  test('is sealed by its first entry too, and a chain that was broken by then is left as broken as it is', async () => {
    await using hub = await startTestHub({ database })
    await hub.hub.db.transaction((tx) => appendAsBefore(tx, hub, 't-old'))
    await hub.hub.db.transaction((tx) => appendAsBefore(tx, hub, 't-broken'))
    await hub.hub.db.transaction((tx) =>
      change(tx, `UPDATE ledger_heads SET mac = 'x' WHERE tenant_id = 't-broken'`),
    )
    await addEntry(hub, 'led-new', 't-new')
    const { tenants } = await verify(hub)
    expect(tenants.map(({ tenant_id, fault }: any) => [tenant_id, fault])).toEqual([
      ['t-broken', 'The head of the chain was changed.'],
      ['t-new', null],
      ['t-old', null],
    ])
  })

  test('is told of anew before the audit log forgets', async () => {
    await using hub = await startTestHub({ database })
    await addEntry(hub, 'led-1', 't-001')
    const flood = async (calls: number) => {
      for (let n = 0; n < calls; n++) await ask(hub, 'ledger_list')
    }
    const prune = () =>
      pruneAudit(
        hub.hub.db,
        hub.hub.audit,
        { max_age_days: 90, max_records: 20 },
        { now: new Date(), ran_ms: 0 },
      )
    for (let turn = 0; turn < 3; turn++) {
      await flood(30)
      await sealLedger(hub.hub)
      expect(await prune()).toBeGreaterThan(0)
      expect(await verify(hub)).toMatchObject({ intact: true })
    }
    await hub.hub.db.transaction(async (tx) => {
      for (const table of TABLES) await change(tx, `DELETE FROM ${table}`)
    })
    expect(await verify(hub)).toMatchObject({ intact: false })
    await expect(sealLedger(hub.hub)).rejects.toThrow('is gone')
    expect((await verify(hub)).fault).toContain('of a tenant that nothing names any more')
    expect((await verify(hub, { tenant_id: 't-001' })).fault).toContain('Tenant t-001: Entry 1 is missing')
  })

  test('is intact however many add to it while it is verified', async () => {
    await using hub = await startTestHub({ database })
    const adding = Promise.all(Array.from({ length: 40 }, (_, n) => addEntry(hub, `led-${n}`, `t-${n % 7}`)))
    const seen: any[] = []
    for (let n = 0; n < 6; n++) seen.push(await verify(hub))
    await adding
    seen.push(await verify(hub))
    expect(seen.map(({ fault }) => fault)).toEqual(Array(7).fill(null))
    expect(seen.at(-1).tenants).toHaveLength(7)
  })
})

describe.each(DATABASES)('a ledger on %s', (database) => {
  test('that is begun between two looks of a verification is intact', async () => {
    await using hub = await startTestHub({ database })
    let looked = 0
    const between: Database = {
      ...hub.hub.db,
      async get(asked, ...values) {
        const row = await hub.hub.db.get(asked, ...values)
        if (/FROM ledger_journal_head/.test(asked.text) && looked++ === 0) await addEntry(hub, 'led-1', 't-1')
        return row
      },
    }
    const report = await verifyJournal(between, hub.hub.audit.key)
    expect(looked).toBeGreaterThan(1)
    expect(report).toMatchObject({ fault: null, lost: [], since: expect.stringMatching(/^20/) })
    expect([...report.chains.values()]).toMatchObject([{ tenant_id: 't-1', seq: 1 }])
  })
})

describe.each(DATABASES)('a dead letter on %s', (database) => {
  test('that was written over is not replayed: the ledger would keep what nobody said', async () => {
    await using hub = await startBoundaryHub({ database })
    const tamper = (text: string) => hub.hub.db.transaction((tx) => change(tx, text))
    await tamper(`UPDATE ledger_heads SET mac = 'x' || mac`)
    const { outcome } = await traceRun(hub, inputOf())
    await tamper('UPDATE ledger_heads SET mac = SUBSTR(mac, 2)')
    const { dead_letter_id } = outcome
    const replay = () => ask(hub, 'boundary_dead_letter_replay', { dead_letter_id }, ADMIN)
    await tamper(`UPDATE boundary_dead_letters SET output_json = REPLACE(output_json, 'A plan.', 'B plan.')`)
    expect((await replay()).code).toBe('RUNTIME_ERROR')
    await tamper(`UPDATE boundary_dead_letters SET mac = NULL`)
    expect((await replay()).code).toBe('RUNTIME_ERROR')
    await tamper(`UPDATE boundary_dead_letters SET output_json = REPLACE(output_json, 'B plan.', 'A plan.')`)
    expect((await replay()).code).toBe('RUNTIME_ERROR')
  })
})

/** Adds an entry as it was done when there was no journal. */
async function appendAsBefore(tx: Transaction, { hub }: TestHub, tenant_id: string): Promise<void> {
  const chain = { vault_id: 'default', tenant_id }
  const first = { seq: 0, hash: GENESIS_HASH }
  await lockHead(tx, chain, { ...first, mac: sealOf(hub, chain, first) })
  const row = {
    ...chain,
    seq: 1,
    id: `led-${tenant_id}`,
    robot_id: null,
    module: 'host',
    source: 'crm',
    type: 'signal',
    state: 'recorded',
    payload_json: '{}',
    depends_on_json: '[]',
    execution_id: null,
    event_key: null,
    created_at: '2026-01-01T00:00:00.000Z',
  }
  const hash = chainHash(GENESIS_HASH, row)
  await insertEntries(tx, [{ ...row, hash }])
  await writeHead(tx, chain, { seq: 1, hash, mac: sealOf(hub, chain, { seq: 1, hash }) })
}
