import { describe, expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { byId, insert, itemsOn, names, type StoreKind } from './store-place.ts'

/** What is written is what is read, in the same order, on both databases. */
export function runValueTests(kind: StoreKind): void {
  describe('values', () => {
    test('round trip unchanged', async () => {
      const db = await itemsOn(kind)
      const texts = ['', 'plain', 'it\'s "quoted" ?', 'Grüße 東京 🏗️ e\u0301', 'a\tb\nc\r\u0001']
      const numbers = [0, -1, 1, 2 ** 31, -(2 ** 40), Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]
      await db.transaction(async (tx) => {
        for (const [id, text] of texts.entries()) await tx.run(insert, id, text, numbers[id] ?? null)
        await tx.run(insert, 100, null, null)
        await tx.run(insert, 101, 'last', numbers[6] ?? null)
      })
      for (const [id, text] of texts.entries())
        expect(await db.get(byId, id)).toEqual({ id, name: text, size: numbers[id] })
      expect(await db.get(byId, 100)).toEqual({ id: 100, name: null, size: null })
      expect((await db.get(byId, 101))?.size).toBe(Number.MIN_SAFE_INTEGER)
      const body = 'long ö '.repeat(300_000)
      await db.transaction((tx) => tx.run(sql('UPDATE items SET body = ? WHERE id = 0'), body))
      expect((await db.get(sql<{ body: string }>('SELECT body FROM items WHERE id = 0')))?.body).toBe(body)
      expect(await db.get(byId, 999)).toBeUndefined()
      expect(await db.all(byId, 999)).toEqual([])
    })

    test('text sorts by its bytes', async () => {
      const db = await itemsOn(kind)
      const words = [
        'b',
        'A',
        'a',
        'B',
        'é',
        'e',
        'Z',
        'z',
        '_',
        '-',
        '1',
        '10',
        '2',
        'ä',
        '🏗',
        '~',
        'a b',
        'ab',
      ]
      await db.transaction(async (tx) => {
        for (const [id, word] of words.entries()) await tx.run(insert, id, word, null)
      })
      const expected = words.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      expect((await db.all(names)).map((row) => row.name)).toEqual(expected)
      const above = sql<{ name: string }>('SELECT name FROM items WHERE name > ? ORDER BY name')
      expect((await db.all(above, 'Z'))[0]?.name).toBe('_')
    })

    test('a question mark is a parameter only outside quotes', async () => {
      const db = await itemsOn(kind)
      const quoted = sql<{ a: string; b: string }>(
        `SELECT 'is  it? it''s ?' AS a, name AS "b" FROM items
         WHERE id = ? AND name <> '?'`,
      )
      await db.transaction((tx) => tx.run(insert, 7, 'seven', 7))
      expect(await db.get(quoted, 7)).toEqual({ a: "is  it? it's ?", b: 'seven' })
    })

    test('a change answers how many rows it touched', async () => {
      const db = await itemsOn(kind)
      const grow = sql('UPDATE items SET size = size + 1 WHERE id < ?')
      const add = sql('INSERT INTO items (id, name, size) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
      const got = await db.transaction(async (tx) => [
        await tx.run(insert, 1, 'one', 1),
        await tx.run(insert, 2, 'two', 2),
        await tx.run(add, 2, 'again', 2),
        await tx.run(grow, 3),
        await tx.run(grow, 0),
        await tx.run(sql('DELETE FROM items')),
      ])
      expect(got).toEqual([1, 1, 0, 2, 0, 2])
    })
  })
}
