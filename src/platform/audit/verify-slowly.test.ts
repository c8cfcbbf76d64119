import { expect, test } from 'vitest'
import { auditRecord } from '../../../test/store/audit-records.ts'
import { auditStore } from '../../../test/store/audit-store.ts'
import { pruneAudit } from './checkpoint.ts'
import { findVerified, slowVerifier } from './verify-slowly.ts'

const NOW = new Date('2026-11-02T00:00:00.000Z')

test('a chain is walked in stretches, and what was found is kept', async () => {
  const { db, log, key, tamper } = await auditStore()
  const all = Array.from({ length: 30_000 }, () => auditRecord())
  await db.transaction((tx) => log.appendIn(tx, all))
  const look = slowVerifier(db, key)
  expect(await look(NOW)).toBeUndefined()
  expect(await findVerified(db)).toMatchObject({ good_at: null, bad_seq: null })
  expect(await look(NOW)).toBeUndefined()
  const good = { good_at: NOW.toISOString(), good_seq: 30_000 }
  expect(await findVerified(db)).toEqual({ ...good, bad_seq: null, fault: null })

  await pruneAudit(db, log, { max_age_days: 365, max_records: 29_000 }, { now: NOW, ran_ms: 0 })
  await tamper(`UPDATE audit_records SET caller_id = 'someone' WHERE seq = 25000`)
  const found: (string | undefined)[] = []
  for (let step = 0; step < 4; step++) found.push(await look(NOW))
  expect(found.filter((fault) => fault !== undefined)).toEqual(['Record 25000 was changed or moved.'])
  expect(await findVerified(db)).toMatchObject({ ...good, bad_seq: 25_000 })
})
