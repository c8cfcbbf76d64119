import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { parseAuditKey } from '../../src/platform/audit/audit-key.ts'
import { openAuditLog } from '../../src/platform/audit/audit-log.ts'
import { verifyChain } from '../../src/platform/audit/verify-chain.ts'
import { homeAt } from '../../src/platform/basics/home.ts'
import { type Database, StorageUnavailable, sql } from '../../src/platform/storage/database.ts'
import { openDatabase } from '../../src/platform/storage/open-database.ts'
import { auditRecord } from './audit-records.ts'
import { type SmallDisk, smallDisk } from './small-disk.ts'

const key = parseAuditKey('ab'.repeat(32), 'test')
const NOW = new Date('2026-11-01T00:00:00.000Z')
const put = sql('INSERT INTO hub_meta (key, value) VALUES (?, ?)')
const count = sql<{ count: number }>("SELECT COUNT(*) AS count FROM hub_meta WHERE key LIKE 'act %'")

async function storeOn(disk: SmallDisk) {
  const db = await openDatabase(homeAt(disk.folder, {}), {}, NOW)
  onTestFinished(() => db.close())
  return { db, log: await openAuditLog(db, key) }
}

async function checkActs(db: Database, expected: number): Promise<void> {
  expect((await db.get(count))?.count).toBe(expected)
  expect(await verifyChain(db, key)).toMatchObject({ intact: true, records: expected })
}

test('a full disk: nothing half done, reads go on, and it works again once there is space', async () => {
  const disk = smallDisk('6m')
  const { db, log } = await storeOn(disk)
  const act = (name: string, size: number) =>
    db.transaction(async (tx) => {
      for (let part = 0; part * 100_000 < size; part++)
        await tx.run(put, `${part ? 'part' : 'act'} ${name} ${part}`, 'x'.repeat(Math.min(size, 100_000)))
      await log.appendIn(tx, [auditRecord({ target_id: name })])
    })
  await act('before', 100)
  for (let round = 0; round < 3; round++) {
    disk.fill()
    // Small ones fail at the commit; the large one in the middle of its group, when the cache overflows.
    const sizes = round === 0 ? [50, 50, 50] : [50, 5_000_000, 50]
    const results = await Promise.allSettled(sizes.map((size, n) => act(`full ${round} ${n}`, size)))
    for (const result of results) {
      expect(result.status).toBe('rejected')
      expect((result as PromiseRejectedResult).reason).toBeInstanceOf(StorageUnavailable)
    }
    await checkActs(db, 1 + round)
    await expect(log.append(auditRecord())).rejects.toBeInstanceOf(StorageUnavailable)
    disk.free()
    await act(`after ${round}`, 100)
    await checkActs(db, 2 + round)
  }
})

test('a disk that fills up while many write: each call is whole or not there', async () => {
  const disk = smallDisk('6m')
  const { db, log } = await storeOn(disk)
  const acts = Array.from({ length: 400 }, (_, n) =>
    db.transaction(async (tx) => {
      await tx.run(put, `act ${n}`, 'x'.repeat(30_000))
      await log.appendIn(tx, [auditRecord({ target_id: `act ${n}` })])
    }),
  )
  const results = await Promise.allSettled(acts)
  const done = results.filter((result) => result.status === 'fulfilled').length
  expect(done).toBeLessThan(400)
  for (const result of results)
    if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(StorageUnavailable)
  await checkActs(db, done)
})

test('a read-only disk: refused by name at start, untouched, and fine when it can be written again', async () => {
  const disk = smallDisk('6m')
  const home = homeAt(disk.folder, {})
  const first = await openDatabase(home, {}, NOW)
  await first.transaction((tx) => tx.run(put, 'act 1', 'kept'))
  await first.close()
  const before = hash('sha256', readFileSync(home.database))
  disk.remount('ro')
  const refused = openDatabase(home, {}, NOW, { checkIntegrity: true })
  await expect(refused).rejects.toBeInstanceOf(StorageUnavailable)
  await expect(refused).rejects.toThrow(home.database)
  expect(hash('sha256', readFileSync(home.database))).toBe(before)
  disk.remount('rw')
  const again = await openDatabase(home, {}, NOW)
  onTestFinished(() => again.close())
  expect((await again.get(count))?.count).toBe(1)
  await again.transaction((tx) => tx.run(put, 'act 2', 'new'))
})

test('a read-only disk without any database: refused by name', async () => {
  const disk = smallDisk('1m')
  disk.remount('ro')
  const refused = openDatabase(homeAt(disk.folder, {}), {}, NOW)
  await expect(refused).rejects.toBeInstanceOf(StorageUnavailable)
})
