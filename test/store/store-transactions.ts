import { describe, expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { byId, count, countOf, insert, itemsOn, names, type StoreKind } from './store-place.ts'

/** A transaction is whole or not there, seen by nobody before its end, and cannot wait for itself. */
export function runTransactionTests(kind: StoreKind): void {
  describe('transactions', () => {
    test('a work that fails undoes itself and nothing else of its moment', async () => {
      const db = await itemsOn(kind)
      const results = await Promise.allSettled(
        Array.from({ length: 300 }, (_, id) =>
          db.transaction(async (tx) => {
            await tx.run(insert, id, `item ${id}`, id)
            if (id % 3 === 0) throw new Error(`no ${id}`)
            return id
          }),
        ),
      )
      for (const [id, result] of results.entries()) {
        expect(result.status).toBe(id % 3 === 0 ? 'rejected' : 'fulfilled')
        expect(await db.get(byId, id)).toEqual(
          id % 3 === 0 ? undefined : { id, name: `item ${id}`, size: id },
        )
      }
    })

    test('a statement that fails ends the transaction even when the work goes on', async () => {
      const db = await itemsOn(kind)
      await db.transaction((tx) => tx.run(insert, 1, 'taken', null))
      const later: unknown[] = []
      const swallowed = db.transaction(async (tx) => {
        await tx.run(insert, 2, 'two', null)
        await tx.run(insert, 3, 'taken', null).catch(() => {})
        await tx.run(insert, 4, 'four', null).catch((error: unknown) => later.push(error))
        return 'done'
      })
      const others = db.transaction((tx) => tx.run(insert, 5, 'five', null))
      await expect(swallowed).rejects.toThrow(/unique/i)
      expect(later).toHaveLength(1)
      expect(await others).toBe(1)
      expect((await db.all(names)).map((row) => row.name)).toEqual(['five', 'taken'])
      // The statement that failed is ready for use again.
      expect(await db.transaction((tx) => tx.run(insert, 6, 'six', null))).toBe(1)
    })

    test('readers never see what is not committed', async () => {
      const db = await itemsOn(kind)
      const seen: unknown[] = []
      const held = Promise.withResolvers<void>()
      const started = Promise.withResolvers<void>()
      const writing = db.transaction(async (tx) => {
        await tx.run(insert, 1, 'one', 1)
        seen.push((await tx.get(byId, 1))?.name)
        started.resolve()
        await held.promise
        await tx.run(insert, 2, 'two', 2)
      })
      await started.promise
      const reading = countOf(db)
      // A shared store answers from before; a private one makes the reader wait for the end.
      if (kind.shared) expect(await reading).toBe(0)
      held.resolve()
      await writing
      expect(seen).toEqual(['one'])
      if (!kind.shared) expect(await reading).toBe(2)
      expect(await countOf(db)).toBe(2)
    })

    test('hundreds at once lose nothing', async () => {
      const db = await itemsOn(kind)
      await db.transaction((tx) => tx.run(insert, 1, 'counter', 0))
      const readLocked = sql<{ size: number }>(
        `SELECT size FROM items WHERE id = 1${db.kind === 'postgres' ? ' FOR UPDATE' : ''}`,
      )
      const write = sql('UPDATE items SET size = ? WHERE id = 1')
      const step = () =>
        db.transaction(async (tx) => {
          const { size } = (await tx.get(readLocked)) ?? { size: 0 }
          await tx.run(write, size + 1)
          return size + 1
        })
      const got = await Promise.all(Array.from({ length: 500 }, step))
      expect(new Set(got).size).toBe(500)
      expect((await db.get(byId, 1))?.size).toBe(500)
    })

    test('its own database answers nothing inside a work, instead of waiting for itself', async () => {
      const db = await itemsOn(kind)
      const inside = /Inside a transaction, use the transaction/
      await expect(db.transaction(() => db.transaction(async () => 1))).rejects.toThrow(inside)
      await expect(db.transaction(() => db.get(count))).rejects.toThrow(inside)
      await expect(db.transaction(() => db.all(names))).rejects.toThrow(inside)
      expect(await db.transaction((tx) => tx.run(insert, 1, 'fine', 1))).toBe(1)
      // What a work leaves running after itself is outside again.
      let after: Promise<unknown> | undefined
      await db.transaction(async () => {
        after = new Promise((resolve) => setTimeout(resolve, 5)).then(() => countOf(db))
      })
      expect(await after).toBe(1)
    })

    test('an ended transaction cannot be used', async () => {
      const db = await itemsOn(kind)
      const tx = await db.transaction(async (given) => ({ given }))
      await expect(tx.given.run(insert, 1, 'late', 1)).rejects.toThrow('already ended')
      expect(await countOf(db)).toBe(0)
    })

    test('a closed store says that it is unavailable, and may be closed twice', async () => {
      const db = await itemsOn(kind)
      await db.close()
      await db.close()
      await expect(db.get(count)).rejects.toMatchObject({ name: 'StorageUnavailable' })
      await expect(db.transaction(async () => 1)).rejects.toMatchObject({ name: 'StorageUnavailable' })
    })
  })
}
