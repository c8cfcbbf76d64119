import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { PACKAGE_FOLDER } from '../../basics/package-folder.ts'
import { parseVectorTable } from '../vectors/word-vectors.ts'
import { stemWord } from './stem-word.ts'

/** What SQLite's own stemmer makes of words. */
function stemBySqlite(words: readonly string[]): string[] {
  const database = new BetterSqlite(':memory:')
  try {
    database.exec(`CREATE VIRTUAL TABLE texts USING fts5(word, tokenize='porter ascii')`)
    database.exec(`CREATE VIRTUAL TABLE terms USING fts5vocab(texts, 'instance')`)
    const add = database.prepare('INSERT INTO texts (rowid, word) VALUES (?, ?)')
    for (const [at, word] of words.entries()) add.run(at + 1, word)
    return database.prepare('SELECT term FROM terms ORDER BY doc').pluck().all() as string[]
  } finally {
    database.close()
  }
}

it('gives every word of the vector table the stem that SQLite gives it', () => {
  const { words } = parseVectorTable(readFileSync(join(PACKAGE_FOLDER, 'vectors', 'codevec-128.bin')))
  const theirs = stemBySqlite(words)
  const others = words.flatMap((word, at) =>
    stemWord(word) === theirs[at] ? [] : [`${word}: ${stemWord(word)}, ${theirs[at]}`],
  )
  expect(others).toEqual([])
})

it('leaves words alone that are no plain letters', () => {
  expect(['256', 'größen', '数', 'is', 'v'].map(stemWord)).toEqual(['256', 'größen', '数', 'is', 'v'])
})
