import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../../test/store/temporary-folder.ts'
import { type Database, sql } from '../database.ts'
import { openSqlite } from './sqlite.ts'

interface Row {
  a: number
  b: string
}
const byKey = sql<Row>('SELECT a, b FROM t WHERE a = ?')
const put = sql('INSERT INTO t (a, b) VALUES (?, ?) ON CONFLICT (a) DO UPDATE SET b = excluded.b')
const change = sql<Row>('UPDATE t SET b = ? WHERE a = ? RETURNING a, b')
const remove = sql('DELETE FROM t WHERE a = ?')
const nextCallback = () => new Promise((go) => setImmediate(go))

async function openStore() {
  const path = join(temporaryFolder(), 'store.db')
  const db = openSqlite(path)
  const other = new BetterSqlite(path)
  onTestFinished(async () => {
    other.close()
    await db.close()
  })
  await db.transaction((tx) => tx.run(sql('CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)')))
  return { db, other }
}

/** What may happen between two reads. */
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
  'by others': ({ other }, a) => other.prepare(put.text).run(a, `others ${a} ${Math.random()}`),
  'removed by others': ({ other }, a) => other.prepare(remove.text).run(a),
  nothing: () => {},
}

test('a read finds what was committed before its callback, whoever changes what', async () => {
  const store = await openStore()
  const step = fc.tuple(fc.constantFrom(...Object.keys(STEPS)), fc.integer({ min: 1, max: 3 }))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      for (const [name, a] of steps) {
        await STEPS[name]?.(store, a)
        // A request is read in a callback of its own.
        await nextCallback()
        for (const key of [1, 2, 3])
          expect(await store.db.get(byKey, key)).toEqual(store.other.prepare(byKey.text).get(key))
      }
    }),
    { numRuns: 40 },
  )
})

test('who has written reads it at once, and reads of one callback see one moment', async () => {
  const { db, other } = await openStore()
  expect(await db.get(byKey, 1)).toBeUndefined()
  await db.transaction((tx) => tx.run(put, 1, 'ours'))
  expect(await db.get(byKey, 1)).toEqual({ a: 1, b: 'ours' })
  other.prepare(put.text).run(1, 'theirs')
  expect(await db.get(byKey, 1)).toEqual({ a: 1, b: 'ours' })
  await nextCallback()
  expect(await db.get(byKey, 1)).toEqual({ a: 1, b: 'theirs' })
})

test('while a transaction is open, a read finds what was there before it', async () => {
  const { db } = await openStore()
  await db.transaction((tx) => tx.run(put, 1, 'old'))
  const looked = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const changing = db.transaction(async (tx) => {
    await tx.run(put, 1, 'new')
    begun.resolve()
    await looked.promise
  })
  await begun.promise
  const seen = [await db.get(byKey, 1)]
  looked.resolve()
  await changing
  seen.push(await db.get(byKey, 1))
  expect(seen).toEqual([
    { a: 1, b: 'old' },
    { a: 1, b: 'new' },
  ])
})
