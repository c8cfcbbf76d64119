import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/store/temporary-folder.ts'
import { StorageDamaged } from '../database.ts'
import { checkWal } from './wal-damage.ts'

const HEADER_BYTES = 32
const FRAME_BYTES = 24 + 4096

/** A database with a log of one small transaction, and what some more transactions would add to that log. */
function makeLog() {
  const folder = temporaryFolder()
  const path = join(folder, 'store.db')
  const writer = new BetterSqlite(path)
  writer.pragma('journal_mode = WAL')
  writer.exec('CREATE TABLE things (name TEXT)')
  const begun = readFileSync(`${path}-wal`)
  /** The log as it would be if these transactions, of so many pages each, came next. */
  const logAfter = (...pages: number[]): Buffer => {
    const copy = join(folder, `copy-${pages.join('-')}.db`)
    copyFileSync(path, copy)
    writeFileSync(`${copy}-wal`, begun)
    const other = new BetterSqlite(copy)
    const insert = other.prepare('INSERT INTO things (name) VALUES (?)')
    for (const count of pages) other.transaction(() => insert.run(`${count}`.repeat(4_000 * count)))()
    return readFileSync(`${copy}-wal`)
  }
  return { path, begun, logAfter }
}

/** What each writer wrote over the log of the one before it. */
function overwritten(...logs: Buffer[]): Buffer {
  const [first, ...others] = logs as [Buffer, ...Buffer[]]
  const all = Buffer.from(first)
  for (const log of others) log.copy(all)
  return all
}

test('what killed writers wrote and nobody was told of is no damage, however many were killed in turn', () => {
  const { path, begun, logAfter } = makeLog()
  const [long, shorter, short, last] = [logAfter(24), logAfter(12), logAfter(6), logAfter(1)]
  const sizes = [long, shorter, short, last].map(({ length }) => length)
  expect(sizes).toEqual(sizes.toSorted((one, other) => other - one))
  expect(last.length).toBeGreaterThan(begun.length)
  for (const log of [
    overwritten(long, last),
    overwritten(long, short, last),
    overwritten(long, shorter, short, last),
  ]) {
    writeFileSync(`${path}-wal`, log)
    expect(() => checkWal(path)).not.toThrow()
  }
})

test('a bit that was flipped in any frame of a transaction with others behind it is damage', () => {
  const { path, begun, logAfter } = makeLog()
  const whole = logAfter(3, 3, 3, 3)
  const end = logAfter(3, 3).length
  for (let at = begun.length; at < end; at += FRAME_BYTES)
    for (const place of [at, at + 9, at + 17, at + 24, at + FRAME_BYTES - 1]) {
      const log = Buffer.from(whole)
      log[place] = (log[place] ?? 0) ^ 1
      writeFileSync(`${path}-wal`, log)
      expect(() => checkWal(path), `a flip at ${place}`).toThrow(StorageDamaged)
    }
  expect((whole.length - HEADER_BYTES) % FRAME_BYTES).toBe(0)
})

test('one good frame behind a whole transaction that is behind a bad one is damage, and that transaction alone none', () => {
  const { path, begun, logAfter } = makeLog()
  const whole = logAfter(0, 0, 0)
  expect(whole.length).toBe(begun.length + 3 * FRAME_BYTES)
  for (const [log, isDamage] of [
    [Buffer.from(whole), true],
    [Buffer.from(whole.subarray(0, -FRAME_BYTES)), false],
  ] as const) {
    log[begun.length + 100] = (log[begun.length + 100] ?? 0) ^ 1
    writeFileSync(`${path}-wal`, log)
    const checked = expect(() => checkWal(path))
    if (isDamage) checked.toThrow(StorageDamaged)
    else checked.not.toThrow()
  }
})
