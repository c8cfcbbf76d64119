import { describe, expect, test } from 'vitest'
import { insertEntries } from '../../src/domains/boundary/ledger/ledger-store.ts'
import { ask, startGateHub } from '../external-agent/gate-hub.ts'
import { DATABASES, type TestHub } from '../harness/test-hub.ts'
import { auditRecord } from '../store/audit-records.ts'
import { ledgerRow } from './ledger-rows.fixture.ts'

const DAY_MS = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()

async function add({ hub }: TestHub, ages: readonly number[], vault_id = 'default'): Promise<void> {
  const rows = ages.map((days, at) => ledgerRow(at + 1, { vault_id, created_at: daysAgo(days) }))
  await hub.db.transaction((tx) => insertEntries(tx, rows))
}

describe.each(DATABASES)('charts on %s', (database) => {
  test('the growth of the ledger is counted by day, of this vault alone, and no further back than asked', async () => {
    await using hub = await startGateHub('on', { database })
    await add(hub, [0, 0, 1, 3, 40])
    await add(hub, [0, 1, 2], 'other')
    const { body } = await ask(hub, 'ledger_growth', { days: 5 })
    expect(body).toMatchObject({ entries: 4, complete: true })
    expect(body.days.map((one: { entries: number }) => one.entries)).toEqual([0, 1, 0, 1, 2])
    expect(body.days.at(-1).day).toBe(daysAgo(0).slice(0, 10))
    expect((await ask(hub, 'ledger_growth')).body.days).toHaveLength(30)
    expect((await ask(hub, 'ledger_growth', { days: 90 })).body.entries).toBe(5)
    expect((await ask(hub, 'ledger_growth', { days: 91 })).status).toBe(400)
  })

  test('bars of calls tell how long they took, each record counted once', async () => {
    await using hub = await startGateHub('on', { database })
    const at = new Date(Date.now() - 30 * 60_000).toISOString()
    const took = (duration_us: number, repeats = 1) =>
      hub.hub.audit.append(auditRecord({ at, duration_us, repeats, outcome: 'denied', code: 'FORBIDDEN' }))
    await took(1_000)
    await took(2_500)
    await took(5_500, 40)
    const { body } = await ask(hub, 'audit_histogram', {}, { as: 'admin' })
    const bar = body.bars.find((one: { denied: number }) => one.denied > 0)
    expect(bar).toMatchObject({ denied: 42, mean_ms: 3, slowest_ms: 5.5 })
    const empty = body.bars.find((one: { denied: number; allowed: number }) => one.denied + one.allowed === 0)
    expect(empty).toMatchObject({ mean_ms: 0, slowest_ms: 0 })
  })
})
