import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { auditRecord } from '../../../test/store/audit-records.ts'
import { auditStore } from '../../../test/store/audit-store.ts'
import { temporaryFolder } from '../../../test/store/temporary-folder.ts'
import { StorageDamaged, sql } from '../storage/database.ts'
import { openSqlite } from '../storage/sqlite/sqlite.ts'
import { parseAuditKey } from './audit-key.ts'
import { openAuditLog } from './audit-log.ts'
import { findEnd, findLoss } from './check-witness.ts'
import { pruneAudit } from './checkpoint.ts'
import { openWitness, readWitness, type Sealed } from './witness.ts'

const key = parseAuditKey('ab'.repeat(32), 'test')
const other = parseAuditKey('cd'.repeat(32), 'test')
const end = (seq: number, hash = `hash-${seq}`): Sealed => ({ seq, hash, at: '2026-11-01T12:00:00.000Z' })

function witnessFrom(first: Sealed) {
  const path = join(temporaryFolder(), 'audit-witness')
  const witness = openWitness(path, key, first)
  onTestFinished(() => witness.close())
  return { path, witness, said: (by = key) => readWitness(readFileSync(path, 'utf8'), by) }
}

describe('the witness', () => {
  test('says the newest end that was noted, whatever came in what order, over many rounds', () => {
    const { path, witness, said } = witnessFrom(end(0))
    const size = statSync(path).size
    expect(said()).toEqual(end(0))
    for (let seq = 2; seq <= 300; seq += 2) {
      witness.note(end(seq), seq % 50 === 0)
      witness.note(end(seq - 1), false)
      expect(said()).toEqual(end(seq))
    }
    expect(statSync(path).size).toBe(size)
  })

  test('that two processes keep is never put back by the one that is late', () => {
    const { path, witness, said } = witnessFrom(end(10))
    const late = openWitness(path, key, end(3))
    onTestFinished(() => late.close())
    expect(said()).toEqual(end(10))
    witness.note(end(73), true)
    for (let seq = 11; seq < 73; seq++) late.note(end(seq), false)
    expect(said()).toEqual(end(73))
  })

  test('says nothing to another key, and nothing that was changed', () => {
    const { path, witness, said } = witnessFrom(end(1))
    witness.note(end(2), true)
    expect(said(other)).toBeUndefined()
    const text = readFileSync(path, 'utf8')
    expect(readWitness(text.replace('2 hash-2', '3 hash-2'), key)).toEqual(end(1))
    expect(readWitness(text.replace('hash-2', 'hash-3'), key)).toEqual(end(1))
    expect(readWitness(text.replaceAll('12:00', '12:01'), key)).toBeUndefined()
    expect([readWitness('', key), readWitness(undefined, key), readWitness('\n \n', key)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  test('is missed where it was removed or another file took its place', () => {
    const { path, witness } = witnessFrom(end(1))
    expect(() => witness.checkInPlace()).not.toThrow()
    renameSync(path, `${path}.aside`)
    writeFileSync(path, readFileSync(`${path}.aside`))
    expect(() => witness.checkInPlace()).toThrow(StorageDamaged)
    rmSync(path)
    expect(() => witness.checkInPlace()).toThrow(path)
    renameSync(`${path}.aside`, path)
    expect(() => witness.checkInPlace()).not.toThrow()
  })
})

/** A store of ten records, and what is missing of an end that was witnessed. */
async function storeOfTen() {
  const store = await auditStore(10)
  const hashOf = async (seq: number) =>
    (await store.db.get(sql<{ hash: string }>('SELECT hash FROM audit_records WHERE seq = ?'), seq))?.hash ??
    ''
  return {
    ...store,
    hashOf,
    lossOf: (seq: number, hash: string) => findLoss(store.db, end(seq, hash), 'FILE'),
  }
}

describe('a store', () => {
  test('has all up to its end, and lacks the very next record', async () => {
    const { lossOf, hashOf } = await storeOfTen()
    for (const seq of [1, 9, 10]) expect(await lossOf(seq, await hashOf(seq))).toBeUndefined()
    expect(await lossOf(11, 'x')).toMatchObject({ after_seq: 10, last_seq: 11 })
    expect((await lossOf(11, 'x'))?.reason).toContain('1 record and what')
    expect((await lossOf(13, 'x'))?.reason).toContain('3 records')
    expect(await lossOf(0, 'whatever was there before the first')).toBeUndefined()
  })

  test('with another record in the place is another store, the last one and those before alike', async () => {
    const { lossOf } = await storeOfTen()
    for (const seq of [1, 9, 10])
      expect(await lossOf(seq, 'another')).toMatchObject({ after_seq: 10, last_seq: seq })
  })

  test('that was pruned is known by where it was cut, and by nothing before', async () => {
    const { db, log, lossOf, hashOf } = await storeOfTen()
    const hashes = await Promise.all([4, 5, 6].map(hashOf))
    const keep = { max_age_days: 10_000, max_records: 5 }
    expect(await pruneAudit(db, log, keep, { now: new Date('2026-11-02T00:00:00Z'), ran_ms: 0 })).toBe(5)
    for (const [at, seq] of [4, 5, 6].entries()) expect(await lossOf(seq, hashes[at] ?? '')).toBeUndefined()
    expect(await lossOf(4, 'another')).toBeUndefined()
    expect(await lossOf(5, 'another')).toMatchObject({ last_seq: 5 })
    expect(await lossOf(6, 'another')).toMatchObject({ last_seq: 6 })
  })

  test('from which one record was taken leaves it to `audit verify` to tell', async () => {
    const { lossOf, hashOf, tamper } = await storeOfTen()
    const hash = await hashOf(7)
    await tamper('DELETE FROM audit_records WHERE seq = 7')
    expect(await lossOf(7, hash)).toBeUndefined()
  })

  test('that is empty has lost all', async () => {
    const empty = openSqlite(':memory:')
    onTestFinished(() => empty.close())
    expect(await findEnd(empty)).toBeUndefined()
    expect(await findLoss(empty, end(2), 'FILE')).toMatchObject({ after_seq: 0, last_seq: 2 })
    expect((await findLoss(empty, end(2), 'FILE'))?.reason).toContain('is gone')
  })

  test('tells of each end once it is committed, and of none that is not', async () => {
    const noted: [number, boolean][] = []
    const db = openSqlite(':memory:')
    await auditStore(0, db)
    const told = await openAuditLog(db, key, { note: ({ seq }, firmly) => void noted.push([seq, firmly]) })
    await db.transaction(async (tx) => told.leaveIn(tx, [auditRecord(), auditRecord()], true))
    await told.append(auditRecord())
    await expect(
      db.transaction(async (tx) => {
        await told.appendIn(tx, [auditRecord()])
        throw new Error('not done')
      }),
    ).rejects.toThrow('not done')
    await told.append(auditRecord())
    expect(noted).toEqual([
      [2, true],
      [3, false],
      [4, false],
    ])
  })
})
