import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Database, StorageUnavailable, sql } from '../database.ts'
import { HOLD_LIMIT_MS, QUEUE_LIMIT } from '../transaction-scope.ts'
import { openSqlite } from './sqlite.ts'

const put = sql('INSERT INTO t (a, b) VALUES (?, ?)')
const count = sql<{ count: number }>('SELECT COUNT(*) AS count FROM t')

const nextTurn = () => new Promise((turn) => setImmediate(turn))

async function openWithTable(): Promise<{ db: Database; path: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-sqlite-'))
  const path = join(folder, 'store.db')
  const db = openSqlite(path)
  onTestFinished(async () => {
    await db.close()
    rmSync(folder, { recursive: true, force: true })
  })
  await db.transaction((tx) => tx.run(sql('CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)')))
  return { db, path }
}

test('the file and its log can be read by the owner only', async () => {
  const { path } = await openWithTable()
  for (const ending of ['', '-wal', '-shm']) expect(statSync(path + ending).mode & 0o077).toBe(0)
})

test('a write waits for another process, while reads and timers go on', async () => {
  const { db, path } = await openWithTable()
  const other = new BetterSqlite(path)
  onTestFinished(() => void other.close())
  other.exec("BEGIN IMMEDIATE; INSERT INTO t VALUES (1, 'other')")
  const events: string[] = []
  const writing = db.transaction((tx) => tx.run(put, 2, 'ours')).then(() => events.push('written'))
  await new Promise((resolve) => setTimeout(resolve, 30))
  events.push(`read ${(await db.get(count))?.count}`)
  other.exec('COMMIT')
  await writing
  events.push(`read ${(await db.get(count))?.count}`)
  expect(events).toEqual(['read 0', 'written', 'read 2'])
})

test('work that waits for something else is let go of, and the others go on', async () => {
  const { db } = await openWithTable()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const woken = Promise.withResolvers<void>()
  let late: Promise<unknown> | undefined
  const started = Promise.withResolvers<void>()
  const stuck = db.transaction(async (tx) => {
    await tx.run(put, 1, 'half')
    started.resolve()
    await woken.promise
    late = tx.run(put, 2, 'late')
    await late
  })
  const other = db.transaction((tx) => tx.run(put, 3, 'other'))
  stuck.catch(() => {})
  await started.promise
  await vi.advanceTimersByTimeAsync(HOLD_LIMIT_MS + 1)
  await expect(stuck).rejects.toThrow('held open for too long')
  expect(await other).toBe(1)
  woken.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  await expect(late).rejects.toThrow('already ended')
  expect((await db.get(count))?.count).toBe(1)
})

test('more transactions than may wait are refused, and those before them done', async () => {
  const db = openSqlite(':memory:')
  onTestFinished(() => db.close())
  let done = 0
  const works = Array.from({ length: QUEUE_LIMIT + 5 }, () => db.transaction(async () => void done++))
  const results = await Promise.allSettled(works)
  const refused = results.filter((result) => result.status === 'rejected')
  expect(refused).toHaveLength(5)
  expect((refused[0] as PromiseRejectedResult).reason).toBeInstanceOf(StorageUnavailable)
  expect(done).toBe(QUEUE_LIMIT)
  expect(await db.transaction(async () => 'again')).toBe('again')
})

test('a stream of transactions leaves turns for everything else', async () => {
  const { db } = await openWithTable()
  const stop = new AbortController()
  let turns = 0
  const stream = async () => {
    while (!stop.signal.aborted) await db.transaction(async () => {})
  }
  const streams = [stream(), stream()]
  for (; turns < 20; turns++) await new Promise((resolve) => setTimeout(resolve, 1))
  stop.abort()
  await Promise.all(streams)
  expect(turns).toBe(20)
})

test('transactions of one tick share a commit, and one that comes later has its own', async () => {
  const { db } = await openWithTable()
  await nextTurn()
  const events: string[] = []
  const write = async (name: string, at: number) => {
    await db.transaction(async (tx) => {
      events.push(`${name} works`)
      await tx.run(put, at, name)
    })
    events.push(`${name} done`)
  }
  const together = [write('a', 1), write('b', 2)]
  await nextTurn()
  await Promise.all([...together, write('c', 3)])
  expect(events).toEqual(['a works', 'b works', 'a done', 'b done', 'c works', 'c done'])
})

test('the log is copied home while the store is open, so it stays small', async () => {
  const { db, path } = await openWithTable()
  const size = () => statSync(`${path}-wal`).size
  let largest = 0
  for (let round = 0; round < 60; round++) {
    await db.transaction(async (tx) => {
      for (let n = 0; n < 100; n++) await tx.run(put, round * 100 + n, 'x'.repeat(4_000))
    })
    await db.get(count)
    largest = Math.max(largest, size())
  }
  // 24 MB were written; the log begins anew about every 4 MB.
  expect(largest).toBeLessThan(8 * 1_048_576)
  await db.transaction(async (tx) => {
    for (let n = 0; n < 60; n++) await tx.run(put, 10_000 + n, 'x'.repeat(500_000))
  })
  expect(size()).toBeGreaterThan(20 * 1_048_576)
  await db.transaction((tx) => tx.run(put, 20_000, 'small'))
  await db.transaction((tx) => tx.run(put, 20_001, 'small'))
  expect(size()).toBeLessThanOrEqual(16 * 1_048_576)
})

test('a read that would change something is refused, and nothing is changed', async () => {
  const { db } = await openWithTable()
  await db.transaction((tx) => tx.run(put, 1, 'kept'))
  await expect(db.get(sql('DELETE FROM t RETURNING a'))).rejects.toThrow('must not change')
  await expect(db.all(sql("UPDATE t SET b = 'other' RETURNING a"))).rejects.toThrow('must not change')
  expect((await db.get(count))?.count).toBe(1)
})
