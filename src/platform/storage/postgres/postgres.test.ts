import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { freshPostgresUrl } from '../../../../test/store/postgres-server.ts'
import { StorageUnavailable, sql } from '../database.ts'
import { openPostgres } from './postgres.ts'

async function openWithTable() {
  const url = await freshPostgresUrl()
  const db = await openPostgres(url)
  onTestFinished(() => db.close())
  await db.transaction((tx) => tx.run(sql('CREATE TABLE t (a BIGINT PRIMARY KEY, b TEXT)')))
  return { db, url }
}
const put = sql('INSERT INTO t (a, b) VALUES (?, ?)')
const count = sql<{ count: number }>('SELECT COUNT(*) AS count FROM t')
const ownPid = sql<{ pid: number }>('SELECT pg_backend_pid() AS pid')

test('a connection that breaks in a transaction: nothing is kept, the process lives, the next call works', async () => {
  const { db, url } = await openWithTable()
  const killer = new pg.Client({ connectionString: url })
  await killer.connect()
  onTestFinished(() => killer.end())
  const broken = db.transaction(async (tx) => {
    await tx.run(put, 1, 'half')
    await killer.query('SELECT pg_terminate_backend($1)', [(await tx.get(ownPid))?.pid])
    await new Promise((resolve) => setTimeout(resolve, 50))
    await tx.run(put, 2, 'late')
  })
  await expect(broken).rejects.toBeInstanceOf(StorageUnavailable)
  expect((await db.get(count))?.count).toBe(0)
  expect(await db.transaction((tx) => tx.run(put, 3, 'whole'))).toBe(1)
})

test('a server that cannot be reached is unavailable', async () => {
  const db = await openPostgres('postgres://nobody:x@127.0.0.1:1/none')
  onTestFinished(() => db.close())
  await expect(db.get(count)).rejects.toBeInstanceOf(StorageUnavailable)
  await expect(db.transaction((tx) => tx.get(count))).rejects.toBeInstanceOf(StorageUnavailable)
})

test('two that lock each other out: one is tried again, both get done', async () => {
  const { db } = await openWithTable()
  await db.transaction(async (tx) => {
    await tx.run(put, 1, 'a')
    await tx.run(put, 2, 'b')
  })
  const append = sql('UPDATE t SET b = b || ? WHERE a = ?')
  let waiting = 2
  const both = Promise.withResolvers<void>()
  const cross = (first: number, second: number) =>
    db.transaction(async (tx) => {
      await tx.run(append, '!', first)
      if (--waiting === 0) both.resolve()
      await both.promise
      await tx.run(append, '!', second)
    })
  await Promise.all([cross(1, 2), cross(2, 1)])
  expect(await db.all(sql('SELECT b FROM t ORDER BY a'))).toEqual([{ b: 'a!!' }, { b: 'b!!' }])
})

test('a server that falls silent is unavailable: the call ends, nothing of it is kept, the next one works', async () => {
  const { db: direct, url } = await openWithTable()
  const line = await openLine(url)
  const db = await openPostgres(line.url, { answer_limit_ms: 500 })
  onTestFinished(() => db.close())
  const cut = db.transaction(async (tx) => {
    await tx.run(put, 1, 'half')
    line.silence()
    await tx.run(put, 2, 'late')
  })
  await expect(cut).rejects.toBeInstanceOf(StorageUnavailable)
  expect((await db.get(count))?.count).toBe(0)
  line.silence()
  await expect(db.get(count)).rejects.toBeInstanceOf(StorageUnavailable)
  expect(await db.transaction((tx) => tx.run(put, 3, 'whole'))).toBe(1)
  expect((await direct.get(count))?.count).toBe(1)
})

/** A line to the server on which the connections of a moment can be made to carry nothing more. */
async function openLine(url: string): Promise<{ url: string; silence(): void }> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const line = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {}).on('close', () => other.destroy())
      one.on('data', (data) => sockets.has(one) && other.write(data))
    }
  })
  await new Promise<void>((ready) => line.listen(0, '127.0.0.1', ready))
  onTestFinished(async () => void (await new Promise((closed) => line.close(closed))))
  const near = new URL(url)
  near.port = String((line.address() as AddressInfo).port)
  return { url: near.href, silence: () => sockets.clear() }
}

test('very many writes at once wait for their turn, however long the first ones take', async () => {
  const { db } = await openWithTable()
  const sleep = sql<{ slept: string }>('SELECT pg_sleep(0.7)::text AS slept')
  // Ten at a time: the last ones wait longer than a connection may take to be made.
  const writes = Array.from({ length: 120 }, (_, at) =>
    db.transaction(async (tx) => {
      await tx.get(sleep)
      return tx.run(put, at, null)
    }),
  )
  expect(db.waiting()).toBe(110)
  expect(new Set(await Promise.all(writes))).toEqual(new Set([1]))
  expect([db.waiting(), (await db.get(count))?.count]).toEqual([0, 120])
})
