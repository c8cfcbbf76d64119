import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Transaction } from '../../src/platform/storage/database.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { addEntry, ask, type BoundaryHub, inputOf, type Json, run, startBoundaryHub } from './boundary-hub.ts'
import {
  type Copy,
  change,
  copyLedger,
  diagnose,
  LEDGER_TABLES,
  putBack,
  removeTenant,
  verify,
} from './ledger-tampering.ts'

const ofTenant = (report: Json, tenant: string) =>
  report.tenants.find(({ tenant_id }: Json) => tenant_id === tenant)

async function removeWithJournal(tx: Transaction): Promise<void> {
  await removeTenant(tx, 't-002')
  await change(tx, `DELETE FROM ledger_journal WHERE tenant_id = 't-002'`)
}

describe.each(DATABASES)('the tenants of a ledger on %s', (database) => {
  let hub: BoundaryHub
  /** The ledger before the last two entries and the last tenant came, and as it is. */
  let early: Copy
  let late: Copy
  const CAFES = ['caf\u00e9', 'cafe\u0301']
  beforeAll(async () => {
    hub = await startBoundaryHub({ database })
    for (const [at, tenant] of ['t-002', ...CAFES].entries()) await addEntry(hub, `led-of-${at}`, tenant)
    await run(hub, inputOf())
    early = await copyLedger(hub.hub.db)
    await run(hub, inputOf())
    await addEntry(hub, 'led-last', 't-003')
    late = await copyLedger(hub.hub.db)
  })
  afterAll(() => hub.close())

  /** Does something behind the hub's back, looks what is said of it, and takes it back. */
  async function after(act: (tx: Transaction) => Promise<unknown>, input: object = {}) {
    await hub.hub.db.transaction(act)
    try {
      return { report: await verify(hub, input), finding: await diagnose(hub) }
    } finally {
      await putBack(hub.hub.db, late)
      expect(await verify(hub)).toMatchObject({ intact: true, fault: null })
      expect(await diagnose(hub)).toMatchObject({ state: 'ok' })
    }
  }
  test('are intact as they are, and it is said since when they are sealed', async () => {
    const report = await verify(hub)
    expect(report).toMatchObject({ intact: true, fault: null, sealed_since: expect.stringMatching(/^20/) })
    expect(report.tenants.map(({ tenant_id, entries }: any) => [tenant_id, entries])).toEqual([
      [CAFES[1], 1],
      [CAFES[0], 1],
      ['t-001', 6],
      ['t-002', 1],
      ['t-003', 1],
    ])
  })

  test.each(['t-001', 't-002', ...CAFES])('cannot vanish: %s', async (tenant) => {
    const { report, finding } = await after((tx) => removeTenant(tx, tenant))
    expect(report).toMatchObject({ intact: false, fault: expect.stringContaining(`Tenant ${tenant}: Entr`) })
    expect(ofTenant(report, tenant).fault).toMatch(
      tenant === 't-001' ? /^Entries 1 to 6 are missing/ : /^Entry 1 is missing/,
    )
    expect(finding).toMatchObject({
      state: 'wrong',
      detail: expect.stringContaining(`tenant ${tenant}: all`),
    })
    const alone = await after((tx) => removeTenant(tx, tenant), { tenant_id: tenant })
    expect(alone.report).toMatchObject({ intact: false })
  })

  test('cannot vanish together with what the journal says of it', async () => {
    const { report, finding } = await after(removeWithJournal)
    expect(report).toMatchObject({
      intact: false,
      fault: expect.stringContaining('of a tenant that nothing names any more'),
    })
    expect(finding.state).toBe('wrong')
    const asked = await after(removeWithJournal, { tenant_id: 't-002' })
    expect(asked.report.fault).toContain('Tenant t-002: Entry 1 is missing')
  })

  test('cannot go back to an older copy of all the ledger: the audit log tells who is missing', async () => {
    await putBack(hub.hub.db, early)
    const { report, finding } = await after(async () => undefined)
    expect(report.intact).toBe(false)
    expect(ofTenant(report, 't-001').fault).toBe('Entries 5 to 6 are missing: the chain was cut.')
    expect(finding).toMatchObject({
      state: 'wrong',
      detail: expect.stringContaining('The audit log tells of step'),
    })
    await putBack(hub.hub.db, early)
    const asked = await after(async () => undefined, { tenant_id: 't-003' })
    expect(asked.report.fault).toContain('Tenant t-003: Entry 1 is missing')
  })

  test('cannot be cut with an older head that was sealed once', async () => {
    const tables = ['ledger_entries', 'ledger_links', 'ledger_heads']
    await putBack(hub.hub.db, early, tables)
    const { report, finding } = await after(async () => undefined)
    expect(ofTenant(report, 't-001').fault).toBe('Entries 5 to 6 are missing: the chain was cut.')
    expect(ofTenant(report, 't-003').fault).toMatch(/^Entry 1 is missing/)
    expect(finding.detail).toMatch(/tenant t-001.*tenant t-003/)
  })

  test('cannot all vanish, with the journal or without it', async () => {
    for (const tables of [
      LEDGER_TABLES,
      LEDGER_TABLES.slice(0, 3),
      LEDGER_TABLES.slice(3),
      LEDGER_TABLES.slice(4),
      LEDGER_TABLES.slice(3, 4),
    ]) {
      const { report, finding } = await after(async (tx) => {
        for (const table of tables) await change(tx, `DELETE FROM ${table}`)
      })
      expect([tables, report.intact, finding.state]).toEqual([tables, false, 'wrong'])
    }
  })

  test.each([
    `UPDATE ledger_journal SET seq = 2 WHERE tenant_id = 't-002'`,
    `UPDATE ledger_journal SET tenant_id = 't-009' WHERE tenant_id = 't-002'`,
    `UPDATE ledger_journal SET number = 1000 WHERE tenant_id = 't-003'`,
    `UPDATE ledger_journal_head SET number = number - 1`,
    `UPDATE ledger_journal_head SET since = '2020-01-01T00:00:00.000Z'`,
    `INSERT INTO ledger_journal SELECT 999, vault_id, 't-x', seq, entry_hash, hash FROM ledger_journal WHERE number = 1`,
    `UPDATE ledger_heads SET vault_id = 'other' WHERE tenant_id = 't-002'`,
    `UPDATE ledger_entries SET tenant_id = 't-003', seq = 2 WHERE tenant_id = 't-002'`,
  ])('show that somebody did this: %s', async (text) => {
    const { report } = await after((tx) => change(tx, text))
    expect(report.intact).toBe(false)
  })

  test('are not begun anew where one is gone or cut, and others go on', async () => {
    const entry = { source: 'crm', type: 'signal', payload: {} }
    await hub.hub.db.transaction((tx) => removeTenant(tx, 't-002'))
    const anew = await ask(hub, 'ledger_append', { ...entry, tenant_id: 't-002' })
    expect(anew.code).toBe('RUNTIME_ERROR')
    await putBack(hub.hub.db, early, ['ledger_entries', 'ledger_links', 'ledger_heads'])
    const onto = await ask(hub, 'ledger_append', { ...entry, tenant_id: 't-001' })
    expect(onto.code).toBe('RUNTIME_ERROR')
    await putBack(hub.hub.db, late)
    await hub.hub.db.transaction((tx) => change(tx, 'DELETE FROM ledger_journal_head'))
    const without = await ask(hub, 'ledger_append', { ...entry, tenant_id: 't-010' })
    expect(without.code).toBe('RUNTIME_ERROR')
    await putBack(hub.hub.db, late)
    expect(await verify(hub)).toMatchObject({ intact: true })
  })
})
