import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/store/temporary-folder.ts'
import { beginTurn } from '../basics/turn.ts'
import { type Database, sql } from './database.ts'
import { keptReads } from './kept-reads.ts'
import { migrations } from './schema.ts'
import { openSqlite } from './sqlite.ts'

interface Row {
  a: number
  b: string
}
const byKey = sql<Row>('SELECT a, b FROM t WHERE a = ?')
const put = sql('INSERT INTO t (a, b) VALUES (?, ?) ON CONFLICT (a) DO UPDATE SET b = excluded.b')
const change = sql<Row>('UPDATE t SET b = ? WHERE a = ? RETURNING a, b')
const remove = sql('DELETE FROM t WHERE a = ?')
const elsewhere = sql('INSERT INTO u (a) VALUES (NULL)')
const nextTurn = () => new Promise((turn) => setImmediate(turn))

async function openStore() {
  const path = join(temporaryFolder(), 'store.db')
  const db = openSqlite(path)
  const other = new BetterSqlite(path)
  onTestFinished(async () => {
    other.close()
    await db.close()
  })
  await db.transaction((tx) => tx.run(sql('CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)')))
  await db.transaction((tx) => tx.run(sql('CREATE TABLE u (a INTEGER PRIMARY KEY)')))
  let reads = 0
  const kept = keptReads<Row>('t')
  const find = (a: number) =>
    kept(db, `${a}`, () => {
      reads++
      return db.get(byKey, a)
    })
  return { db, other, find, reads: () => reads }
}

/** What may happen between two looks. */
const STEPS: Record<string, (store: { db: Database; other: BetterSqlite.Database }, a: number) => unknown> = {
  put: ({ db }, a) => db.transaction((tx) => tx.run(put, a, `put ${a}`)),
  each: ({ db }, a) => db.transaction((tx) => tx.runEach(put, [[a, 'each']])),
  change: ({ db }, a) => db.transaction((tx) => tx.get(change, `changed ${a}`, a)),
  remove: ({ db }, a) => db.transaction((tx) => tx.run(remove, a)),
  fails: ({ db }, a) =>
    db
      .transaction(async (tx) => {
        await tx.run(put, a, 'never')
        throw new Error('not kept')
      })
      .catch(() => {}),
  elsewhere: ({ db }) => db.transaction((tx) => tx.run(elsewhere)),
  'by others': ({ other }, a) => other.prepare(put.text).run(a, `others ${a} ${Math.random()}`),
  'removed by others': ({ other }, a) => other.prepare(remove.text).run(a),
  nothing: () => {},
}

test('what is kept is what a read would find, whoever changes what', async () => {
  const store = await openStore()
  const step = fc.tuple(fc.constantFrom(...Object.keys(STEPS)), fc.integer({ min: 1, max: 3 }))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      for (const [name, a] of steps) {
        await STEPS[name]?.(store, a)
        // A request is read: what others have committed before it is for it to see.
        await nextTurn()
        beginTurn()
        for (const key of [1, 2, 3])
          expect(await store.find(key)).toEqual(store.other.prepare(byKey.text).get(key))
      }
    }),
    { numRuns: 40 },
  )
})

test('it is read once while only other tables change, and by nobody else', async () => {
  const { db, find, reads } = await openStore()
  await db.transaction((tx) => tx.run(put, 1, 'one'))
  await find(1)
  for (let count = 0; count < 3; count++) {
    await db.transaction((tx) => tx.run(elsewhere))
    await nextTurn()
    expect(find(1)).toEqual({ a: 1, b: 'one' })
  }
  expect(reads()).toBe(1)
})

test('while a change is under way it is read anew, as it was before', async () => {
  const { db, find, reads } = await openStore()
  await db.transaction((tx) => tx.run(put, 1, 'old'))
  await find(1)
  const seen: unknown[] = []
  const looked = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const changing = db.transaction(async (tx) => {
    await tx.run(put, 1, 'new')
    begun.resolve()
    await looked.promise
  })
  await begun.promise
  seen.push(await find(1))
  looked.resolve()
  await changing
  seen.push(await find(1))
  expect([seen, reads()]).toEqual([
    [
      { a: 1, b: 'old' },
      { a: 1, b: 'new' },
    ],
    3,
  ])
})

test('where it cannot be told whether a table has changed it is read each time', async () => {
  const { db, reads } = await openStore()
  const unsure: Database = { ...db, edition: () => undefined }
  const kept = keptReads<Row>('t')
  await db.transaction((tx) => tx.run(put, 7, 'seven'))
  let asked = 0
  const find = () => kept(unsure, '7', () => (asked++, db.get(byKey, 7)))
  await find()
  await find()
  expect([asked, reads()]).toEqual([2, 0])
})

test('no table of the hub changes along with another', () => {
  const all = migrations.flatMap(({ statements }) => statements).join('\n')
  expect(all).not.toMatch(/\bTRIGGER\b|\bCASCADE\b|\bSET (?:NULL|DEFAULT)\b/i)
})
