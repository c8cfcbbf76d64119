import { onTestFinished } from 'vitest'
import { type Database, sql } from '../../src/platform/storage/database.ts'
import { type Migration, migrate } from '../../src/platform/storage/migrate.ts'

/** A store of one kind: `open` may be called again for a second handle, as another process would. */
export interface StorePlace {
  open(): Promise<Database>
  remove(): Promise<void>
}

export interface StoreKind {
  /** Makes an empty store. */
  make(): Promise<StorePlace>
  /** Whether a second handle sees the same data; a memory store is private. */
  shared: boolean
}

export const NOW = new Date('2026-11-01T00:00:00.000Z')

/** A small schema for tests of the database itself. */
export const itemsSchema: Migration = {
  version: 1,
  statements: [
    'CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, size INTEGER, body TEXT)',
    'CREATE UNIQUE INDEX items_by_name ON items (name)',
  ],
}
export const insert = sql('INSERT INTO items (id, name, size) VALUES (?, ?, ?)')
export const byId = sql<{ id: number; name: string | null; size: number | null }>(
  'SELECT id, name, size FROM items WHERE id = ?',
)
export const names = sql<{ name: string }>('SELECT name FROM items ORDER BY name')
export const count = sql<{ count: number }>('SELECT COUNT(*) AS count FROM items')

/** An empty store of the running test's own. */
export async function placeOf(kind: StoreKind): Promise<StorePlace> {
  const made = await kind.make()
  onTestFinished(() => made.remove())
  return made
}

/** A handle on a store, closed when the test ends. */
export async function handleOn(place: StorePlace): Promise<Database> {
  const db = await place.open()
  onTestFinished(() => db.close())
  return db
}

/** A new store with the small schema. */
export async function itemsOn(kind: StoreKind): Promise<Database> {
  const db = await handleOn(await placeOf(kind))
  await migrate(db, [itemsSchema], NOW)
  return db
}

/** How many items there are. */
export async function countOf(db: Database): Promise<number | undefined> {
  return (await db.get(count))?.count
}
