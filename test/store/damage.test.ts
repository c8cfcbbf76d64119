import { hash } from 'node:crypto'
import { copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Home, homeAt } from '../../src/platform/basics/home.ts'
import { StorageDamaged, sql } from '../../src/platform/storage/database.ts'
import { openDatabase } from '../../src/platform/storage/open-database.ts'
import { openSqlite } from '../../src/platform/storage/sqlite/sqlite.ts'
import { temporaryFolder } from './temporary-folder.ts'

const NOW = new Date('2026-11-01T00:00:00.000Z')
const PAGE = 4_096
/** The tables themselves, still empty, lie in fewer pages than this. */
const SCHEMA_PAGES = 200
const put = sql('INSERT INTO hub_meta (key, value) VALUES (?, ?)')
const bytesOf = (path: string) => hash('sha256', readFileSync(path))

async function filledHome(): Promise<Home> {
  const home = homeAt(temporaryFolder(), {})
  const db = await openDatabase(home, {}, NOW)
  await db.transaction(async (tx) => {
    for (let n = 0; n < 3_000; n++) await tx.run(put, `key ${n}`, 'value '.repeat(100))
  })
  await db.close()
  return home
}

/** Turns over the beginning of each page from `first` on: whatever it was, it is no page any more. */
function spoilPages(path: string, first: number): void {
  const bytes = readFileSync(path)
  for (let at = first * PAGE; at < bytes.length; at += PAGE)
    for (let n = 0; n < 64; n++) bytes[at + n] = (bytes[at + n] ?? 0) ^ 0xff
  writeFileSync(path, bytes)
}

async function checkRefused(home: Home): Promise<void> {
  const before = bytesOf(home.database)
  const refused = openDatabase(home, {}, NOW, { checkIntegrity: true })
  await expect(refused).rejects.toBeInstanceOf(StorageDamaged)
  await expect(refused).rejects.toThrow(home.database)
  expect(bytesOf(home.database)).toBe(before)
}

test('a file that is no database is refused by name and left alone', async () => {
  const home = homeAt(temporaryFolder(), {})
  for (const content of ['these are my notes\n', 'x'.repeat(50_000), '\0'.repeat(8_192)]) {
    writeFileSync(home.database, content)
    await checkRefused(home)
  }
})

test('a file cut short is refused by name and left alone, wherever it was cut', async () => {
  const whole = await filledHome()
  const { length } = readFileSync(whole.database)
  for (const size of [50, 100, 1_000, PAGE, PAGE + 1, length >> 1, length - PAGE, length - 1]) {
    const home = homeAt(temporaryFolder(), {})
    copyFileSync(whole.database, home.database)
    truncateSync(home.database, size)
    await checkRefused(home)
  }
})

test('spoilt pages are found at start, and the file is left alone', async () => {
  const whole = await filledHome()
  for (const first of [0, 1, 5, 20]) {
    const home = homeAt(temporaryFolder(), {})
    copyFileSync(whole.database, home.database)
    spoilPages(home.database, first)
    await checkRefused(home)
  }
})

test('a spoilt file with a log beside it: neither is changed', async () => {
  const home = await filledHome()
  const live = await openDatabase(home, {}, NOW)
  await live.transaction((tx) => tx.run(put, 'in the log', 'only'))
  const copy = homeAt(temporaryFolder(), {})
  for (const ending of ['', '-wal']) copyFileSync(home.database + ending, copy.database + ending)
  await live.close()
  spoilPages(copy.database, 5)
  const log = bytesOf(`${copy.database}-wal`)
  await checkRefused(copy)
  expect(bytesOf(`${copy.database}-wal`)).toBe(log)
})

test('starting never changes a file, whatever bytes of it were turned over', async () => {
  const whole = await filledHome()
  const { length } = readFileSync(whole.database)
  const flips = fc.array(fc.record({ at: fc.nat(length - 1), mask: fc.integer({ min: 1, max: 255 }) }), {
    minLength: 1,
    maxLength: 40,
  })
  const home = homeAt(temporaryFolder(), {})
  await fc.assert(
    fc.asyncProperty(flips, async (list) => {
      const bytes = readFileSync(whole.database)
      for (const { at, mask } of list) bytes[at] = (bytes[at] ?? 0) ^ mask
      writeFileSync(home.database, bytes)
      const before = bytesOf(home.database)
      const opened = await openDatabase(home, {}, NOW, { checkIntegrity: true }).catch(
        (error: Error) => error,
      )
      if (opened instanceof Error) expect(opened.message).toContain(home.database)
      else await opened.close()
      // A header that was turned to the other journal mode is turned back when it is opened.
      if (opened instanceof Error) expect(bytesOf(home.database)).toBe(before)
    }),
    { numRuns: 150 },
  )
})

test('damage met at run time: every further call is refused, and closing changes nothing', async () => {
  const home = await filledHome()
  spoilPages(home.database, SCHEMA_PAGES)
  const db = openSqlite(home.database)
  const version = sql<{ version: number }>('SELECT version FROM schema_version')
  await db.transaction((tx) => tx.run(sql('UPDATE schema_version SET applied_at = ?'), 'later'))
  expect(await db.get(version)).toBeDefined()
  const before = bytesOf(home.database)
  await expect(db.all(sql('SELECT * FROM hub_meta'))).rejects.toBeInstanceOf(StorageDamaged)
  const log = bytesOf(`${home.database}-wal`)
  await expect(db.get(version)).rejects.toBeInstanceOf(StorageDamaged)
  await expect(db.transaction((tx) => tx.run(put, 'a', 'b'))).rejects.toBeInstanceOf(StorageDamaged)
  await db.close()
  expect(bytesOf(home.database)).toBe(before)
  expect(existsSync(`${home.database}-wal`)).toBe(true)
  expect(bytesOf(`${home.database}-wal`)).toBe(log)
})

test('damage met inside a transaction rejects the whole group and changes nothing', async () => {
  const home = await filledHome()
  spoilPages(home.database, SCHEMA_PAGES)
  const before = bytesOf(home.database)
  const db = openSqlite(home.database)
  const works = [
    db.transaction((tx) => tx.run(sql('UPDATE schema_version SET applied_at = ?'), 'later')),
    db.transaction((tx) => tx.all(sql('SELECT * FROM hub_meta'))),
    db.transaction((tx) => tx.run(sql('UPDATE schema_version SET applied_at = ?'), 'latest')),
  ]
  for (const result of await Promise.allSettled(works))
    expect((result as PromiseRejectedResult).reason).toBeInstanceOf(StorageDamaged)
  await db.close()
  expect(bytesOf(home.database)).toBe(before)
})
