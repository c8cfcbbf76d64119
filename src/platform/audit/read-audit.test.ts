import { expect, test } from 'vitest'
import { auditRecord } from '../../../test/store/audit-records.ts'
import { auditStore } from '../../../test/store/audit-store.ts'
import { GENESIS_HASH } from './audit-record.ts'
import { pruneAudit } from './checkpoint.ts'
import { type AuditQuery, exportAudit, LIST_SCAN_LIMIT, listAudit } from './read-audit.ts'

const NOW = new Date('2026-11-02T00:00:00.000Z')

async function mixed(records: number) {
  const store = await auditStore()
  const all = Array.from({ length: records }, (_, n) =>
    auditRecord({
      vault_id: n % 2 ? 'default' : 'other',
      operation: n % 5 ? 'flow_get' : 'flow_list',
      outcome: n % 3 ? 'allowed' : 'denied',
    }),
  )
  await store.db.transaction((tx) => store.log.appendIn(tx, all))
  return store
}

test('newest first, of one vault, page by page, each once', async () => {
  const { db } = await mixed(100)
  const seen: number[] = []
  let before_seq: number | undefined
  for (;;) {
    const page = await listAudit(db, { vault_id: 'default', before_seq, limit: 7 })
    expect(page.cut).toBe(false)
    seen.push(...page.records.map((record) => record.seq))
    if (page.next_before_seq === null) break
    before_seq = page.next_before_seq
  }
  expect(seen).toEqual(Array.from({ length: 50 }, (_, n) => 100 - 2 * n))
})

test('filters by operation and outcome', async () => {
  const { db } = await mixed(120)
  const query: AuditQuery = { vault_id: 'other', operation: 'flow_list', outcome: 'denied', limit: 50 }
  const page = await listAudit(db, query)
  expect(page.records.map((record) => record.seq)).toEqual([91, 61, 31, 1])
  expect(page.next_before_seq).toBeNull()
  expect(await listAudit(db, { vault_id: 'nobody', limit: 5 })).toEqual({
    records: [],
    next_before_seq: null,
    cut: false,
  })
})

test('looks at no more than so many records, says so, and goes on from there', async () => {
  const { db, log } = await auditStore()
  const rare = auditRecord({ operation: 'rare' })
  const common = Array.from({ length: LIST_SCAN_LIMIT + 100 }, () => auditRecord())
  await db.transaction((tx) => log.appendIn(tx, [rare, ...common]))
  const first = await listAudit(db, { vault_id: 'default', operation: 'rare', limit: 10 })
  // Nothing found yet is no end.
  expect(first).toMatchObject({ records: [{ seq: 1 }], cut: false, next_before_seq: null })
  await log.append(rare)
  const second = { vault_id: 'default', operation: 'rare', limit: 10 }
  const page = await listAudit(db, second)
  expect(page).toMatchObject({ records: [{ seq: 5_102 }], cut: true, next_before_seq: 103 })
  expect(await listAudit(db, { ...second, before_seq: 103 })).toMatchObject({
    records: [{ seq: 1 }],
    next_before_seq: null,
  })
})

test('an export page begins where asked, or where the kept chain begins', async () => {
  const { db, log } = await auditStore(50)
  const whole = await exportAudit(db, { after_seq: 0, limit: 1_000 })
  expect(whole).toMatchObject({ from_seq: 1, previous_hash: GENESIS_HASH, next_after_seq: null })
  const part = await exportAudit(db, { after_seq: 10, limit: 5 })
  expect(part).toMatchObject({ from_seq: 11, previous_hash: whole.records[9]?.hash, next_after_seq: 15 })
  await pruneAudit(db, log, { max_age_days: 365, max_records: 20 }, { now: NOW, ran_ms: 0 })
  const pruned = await exportAudit(db, { after_seq: 0, limit: 1_000 })
  expect(pruned).toMatchObject({ from_seq: 31, previous_hash: whole.records[29]?.hash })
  expect(pruned.checkpoints).toHaveLength(1)
  expect(await exportAudit(db, { after_seq: 999, limit: 5 })).toMatchObject({ from_seq: 51, records: [] })
})
