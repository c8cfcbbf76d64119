import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { StorageUnavailable } from './database.ts'
import { faultLatch } from './sqlite-faults.ts'
import { logSync } from './sqlite-log-sync.ts'

const folder = mkdtempSync(join(tmpdir(), 'knowtation-log-'))
const path = join(folder, 'db')
afterEach(() => rmSync(`${path}-wal`, { force: true }))

test('a small commit is on the disk at once, a large one when the promise says so', async () => {
  writeFileSync(`${path}-wal`, 'log')
  const log = logSync(path, faultLatch())
  expect(log.sync(2)).toBeUndefined()
  const first = log.sync(100)
  const [second, third] = [log.sync(100), log.sync(2)]
  // What is committed while a sync runs may have missed it: all such wait for one more, together.
  expect(second).not.toBe(first)
  expect(third).toBe(second)
  await expect(Promise.all([first, second, third])).resolves.toBeDefined()
  await log.settled()
  expect(log.sync(2)).toBeUndefined()
  log.close()
  log.close()
})

test.each([2, 100])('a log that cannot be synced ends the use of the file (%i rows)', async (rows) => {
  const latch = faultLatch()
  const log = logSync(path, latch)
  const sync = async () => log.sync(rows)
  await expect(sync()).rejects.toBeInstanceOf(StorageUnavailable)
  expect(() => latch.check()).toThrow(StorageUnavailable)
})
