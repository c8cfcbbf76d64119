import { expect, test } from 'vitest'
import { auditRecord } from '../../../test/store/audit-records.ts'
import { type AuditStore, auditStore } from '../../../test/store/audit-store.ts'
import { pruneAudit } from './checkpoint.ts'
import { verifyChain } from './verify-chain.ts'

const NOW = new Date('2026-11-02T00:00:00.000Z')
const COLUMNS = Object.keys(auditRecord()).join(', ')
const keeping = (max_records: number) => ({ max_age_days: 365, max_records })
const faultOf = async ({ db, key }: AuditStore) => (await verifyChain(db, key)).fault

/** A log of 40 of which the first 20 were pruned, with what was there before in a table of its own. */
async function prunedAt20(): Promise<AuditStore> {
  const store = await auditStore(40)
  await store.tamper('CREATE TABLE stolen AS SELECT * FROM audit_records')
  await pruneAudit(store.db, store.log, keeping(20), { now: NOW, ran_ms: 0 })
  return store
}

const putBack = ({ tamper }: AuditStore, seq: number) =>
  tamper(
    `INSERT INTO audit_records (seq, ${COLUMNS}, hash) SELECT seq, ${COLUMNS}, hash FROM stolen WHERE seq = ?`,
    seq,
  )

test.each([1, 19, 20])('a pruned record put back is found at the edge, too: record %i of 20', async (seq) => {
  const store = await prunedAt20()
  await putBack(store, seq)
  expect(await faultOf(store)).toMatch(new RegExp(`\\b${seq} was put back`))
})

test.each([21, 22, 40])('a kept record that is gone is missing, first and last ones too: %i', async (seq) => {
  const store = await prunedAt20()
  await store.tamper('DELETE FROM audit_records WHERE seq = ?', seq)
  expect(await faultOf(store)).toMatch(new RegExp(`\\b${seq} is missing`))
  await putBack(store, seq)
  expect(await faultOf(store)).toBeNull()
})

test('all kept records gone, and one directly beyond the head', async () => {
  const store = await prunedAt20()
  await store.tamper('DELETE FROM audit_records')
  expect(await faultOf(store)).toMatch(/\b21 is missing/)
  for (const seq of Array.from({ length: 20 }, (_, at) => at + 21)) await putBack(store, seq)
  await store.tamper(
    `INSERT INTO audit_records (seq, ${COLUMNS}, hash) SELECT 41, ${COLUMNS}, hash FROM stolen WHERE seq = 40`,
  )
  expect(await faultOf(store)).toMatch(/\b41\b/)
})

test.each([1_999, 2_000, 2_001])(
  'a chain of %i records is walked to its end over the pages',
  async (count) => {
    const store = await auditStore(count)
    expect(await verifyChain(store.db, store.key)).toMatchObject({
      intact: true,
      records: count,
      last_seq: count,
    })
    for (const seq of [1_999, 2_000, 2_001].filter((one) => one <= count)) {
      await store.tamper("UPDATE audit_records SET caller_id = 'x' || caller_id WHERE seq = ?", seq)
      expect(await faultOf(store)).toMatch(new RegExp(`\\b${seq} was changed`))
      await store.tamper('UPDATE audit_records SET caller_id = substr(caller_id, 2) WHERE seq = ?', seq)
    }
    expect(await faultOf(store)).toBeNull()
  },
)

test.each([99, 100, 101])(
  '%i checkpoints are walked to the newest, and each of them counts',
  async (count) => {
    const store = await auditStore(count + 5)
    for (let at = 1; at <= count; at++)
      await pruneAudit(store.db, store.log, keeping(count + 5 - at), { now: NOW, ran_ms: 0 })
    expect(await verifyChain(store.db, store.key)).toMatchObject({ intact: true, checkpoints: count })
    await store.tamper('UPDATE audit_checkpoints SET at = at || ? WHERE seq = ?', 'x', count)
    expect(await faultOf(store)).toMatch(new RegExp(`\\b${count} was changed`))
  },
)
