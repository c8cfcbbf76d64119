import { describe, expect, test } from 'vitest'
import { StorageDamaged, StorageTooNew, sql } from '../../src/platform/storage/database.ts'
import { type Migration, migrate } from '../../src/platform/storage/migrate.ts'
import { migrations } from '../../src/platform/storage/schema.ts'
import {
  countOf,
  handleOn,
  insert,
  itemsOn,
  itemsSchema,
  NOW,
  placeOf,
  type StoreKind,
} from './store-place.ts'

/** The schema goes forward only, in one piece, whoever else opens the store at the same time. */
export function runMigrationTests(kind: StoreKind): void {
  describe('migration', () => {
    const next: Migration = { version: 2, statements: ['CREATE TABLE more (id INTEGER PRIMARY KEY)'] }
    const versions = sql<{ version: number }>('SELECT version FROM schema_version ORDER BY version')

    test('goes forward only, each step once', async () => {
      const db = await itemsOn(kind)
      await db.transaction((tx) => tx.run(insert, 1, 'kept', 1))
      await migrate(db, [itemsSchema, next], NOW)
      await migrate(db, [itemsSchema, next], NOW)
      expect(await db.all(versions)).toEqual([{ version: 1 }, { version: 2 }])
      expect(await countOf(db)).toBe(1)
    })

    test('a failing step leaves nothing, of the steps before it either', async () => {
      const db = await itemsOn(kind)
      const bad: Migration = {
        version: 3,
        statements: ['CREATE TABLE half (id INTEGER PRIMARY KEY)', 'CREATE TABLE items (id INTEGER)'],
      }
      await expect(migrate(db, [itemsSchema, next, bad], NOW)).rejects.toThrow(/exists/)
      expect(await db.all(versions)).toEqual([{ version: 1 }])
      await expect(db.all(sql('SELECT * FROM more'))).rejects.toThrow()
      await expect(db.all(sql('SELECT * FROM half'))).rejects.toThrow()
    })

    test('a newer schema is refused and left alone', async () => {
      const db = await itemsOn(kind)
      await migrate(db, [itemsSchema, next], NOW)
      await expect(migrate(db, [itemsSchema], NOW)).rejects.toBeInstanceOf(StorageTooNew)
      expect(await db.all(versions)).toEqual([{ version: 1 }, { version: 2 }])
    })

    test.each([
      ['1', true],
      ['0', true],
      ['2', false],
      ['', false],
      ['soon', false],
      [undefined, false],
    ])('a newer schema that says it is open to %j may be used by this program: %j', async (value, isOpen) => {
      const meta: Migration = {
        version: 2,
        statements: ['CREATE TABLE hub_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)'],
      }
      const db = await itemsOn(kind)
      await migrate(db, [itemsSchema, meta], NOW)
      const say = sql(`INSERT INTO hub_meta (key, value) VALUES ('schema_open_to', ?)`)
      if (value !== undefined) await db.transaction((tx) => tx.run(say, value))
      const opened = migrate(db, [itemsSchema], NOW)
      if (isOpen) await expect(opened).resolves.toBeUndefined()
      else await expect(opened).rejects.toBeInstanceOf(StorageTooNew)
      expect(await db.all(versions)).toEqual([{ version: 1 }, { version: 2 }])
    })

    test('each step says anew whom the schema is open to', async () => {
      const meta: Migration = {
        version: 2,
        open_to: 1,
        statements: ['CREATE TABLE hub_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)'],
      }
      const db = await itemsOn(kind)
      await migrate(db, [itemsSchema, meta], NOW)
      await migrate(db, [itemsSchema], NOW)
      await migrate(db, [itemsSchema, meta, { version: 3, open_to: 3, statements: [] }], NOW)
      await expect(migrate(db, [itemsSchema], NOW)).rejects.toBeInstanceOf(StorageTooNew)
      await expect(migrate(db, [itemsSchema, meta], NOW)).rejects.toBeInstanceOf(StorageTooNew)
    })

    test('a store without a table of its version is refused, and the table is not made anew', async () => {
      const db = await itemsOn(kind)
      await db.transaction((tx) => tx.run(sql('DROP TABLE items')))
      await expect(migrate(db, [itemsSchema], NOW)).rejects.toBeInstanceOf(StorageDamaged)
      await expect(migrate(db, [itemsSchema], NOW)).rejects.toThrow('The table items is missing')
      await expect(countOf(db)).rejects.toThrow()
    })

    if (kind.shared) {
      test('several that open at once migrate once', async () => {
        const at = await placeOf(kind)
        const all = await Promise.all(Array.from({ length: 4 }, () => handleOn(at)))
        await Promise.all(all.map((db) => migrate(db, migrations, NOW)))
        for (const db of all) expect(await db.all(versions)).toHaveLength(migrations.length)
      })
    }
  })
}
