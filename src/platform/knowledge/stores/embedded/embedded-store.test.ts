import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStaticEmbedder } from '../../vectors/static-embedder.ts'
import { describeStore, makeDocument } from '../store-conformance.fixture.ts'
import { IndexDamaged } from './damaged-index.ts'
import { openEmbeddedStore } from './embedded-store.ts'

const embedder = openStaticEmbedder()
const ALL = { prefixes: [''] }
let folder = ''
let made = 0
const newFile = () => join(folder, `index-${made++}.db`)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowtation-index-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describeStore('in a file', async () => openEmbeddedStore(newFile()))

it('sees what another opening of the file writes, removes and clears', async () => {
  const file = newFile()
  const [reader, writer] = [openEmbeddedStore(file), openEmbeddedStore(file)]
  const find = async (query: string) => (await reader.search(query, embedder, ALL, 5)).map(({ path }) => path)
  expect(await find('"elephants"')).toEqual([])
  await writer.replaceDocuments(embedder, [
    await makeDocument('a.md', 'Elephants are grey.'),
    await makeDocument('b.md', 'Zebras have stripes.'),
  ])
  expect(await find('"elephants"')).toEqual(['a.md'])
  for (let turn = 0; turn < 5; turn++)
    await writer.replaceDocuments(embedder, [await makeDocument('a.md', `Lions roar ${turn}.`)])
  expect(await find('"elephants"')).toEqual([])
  expect(await find('"lions"')).toEqual(['a.md'])
  await writer.removeDocuments(['a.md'])
  expect(await find('"lions"')).toEqual([])
  expect(await find('"zebras"')).toEqual(['b.md'])
  await writer.clear()
  expect(await find('"zebras"')).toEqual([])
  await reader.close()
  await writer.close()
})

const makeLong = (path: string, word: string) =>
  makeDocument(
    path,
    Array.from({ length: 400 }, (_, at) => `# Part ${at}\n\n${word} number${at}.\n`).join('\n'),
  )

it('takes many chunks at once as it takes few, also where a document comes again', async () => {
  const file = newFile()
  const store = openEmbeddedStore(file)
  const counts = new BetterSqlite(file, { readonly: true })
  const countWord = (word: string) =>
    counts.prepare('SELECT count(*) FROM words WHERE words MATCH ?').pluck().get(word)
  const find = async (query: string) =>
    (await store.search(query, embedder, ALL, 9)).map(({ path }) => path).toSorted()
  const few = await makeDocument('few.md', 'Elephants are grey.')
  await store.replaceDocuments(embedder, [few])
  await store.replaceDocuments(embedder, [
    await makeLong('a.md', 'Giraffes'),
    await makeLong('b.md', 'Zebras'),
  ])
  expect(new Set(await find('"giraffes"'))).toEqual(new Set(['a.md']))
  await store.replaceDocuments(embedder, [await makeLong('a.md', 'Lions'), await makeLong('c.md', 'Tigers')])
  expect(await find('"giraffes"')).toEqual([])
  expect(new Set(await find('"lions"'))).toEqual(new Set(['a.md']))
  await store.replaceDocuments(embedder, [await makeLong('c.md', 'Otters'), await makeLong('c.md', 'Seals')])
  for (const gone of ['"tigers"', '"otters"']) expect(await find(gone)).toEqual([])
  expect(new Set(await find('"seals"'))).toEqual(new Set(['c.md']))
  expect(['giraff', 'tiger', 'otter', 'lion', 'zebra', 'seal'].map(countWord)).toEqual([
    0, 0, 0, 400, 400, 400,
  ])
  await store.removeDocuments(['a.md', 'b.md', 'c.md'])
  expect(await find('"number7"')).toEqual([])
  expect(await find('"elephants"')).toEqual(['few.md'])
  counts.close()
  await store.close()
})

it('leaves no word of a document behind, whatever was in it', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom('\ud800', 'a\ud83d', '\0b', 'İZMİR', 'Σ é 数 retries', 'x'.repeat(60)),
  )
  const some = fc.array(fc.tuple(fc.constantFrom('a.md', 'b.ts', 'İ/\ud800.rs'), text, text), {
    maxLength: 4,
  })
  const file = newFile()
  const store = openEmbeddedStore(file)
  const counts = new BetterSqlite(file)
  await fc.assert(
    fc.asyncProperty(fc.array(some, { minLength: 1, maxLength: 3 }), async (rounds) => {
      for (const round of rounds)
        await store.replaceDocuments(
          embedder,
          await Promise.all(
            round.map(([path, name, body]) => makeDocument(path, `# ${name}\n\n${body} ${name}\n`)),
          ),
        )
      counts.exec("INSERT INTO words (words) VALUES ('integrity-check')")
      await store.removeDocuments([...(await store.listDocuments()).keys()])
      expect(counts.prepare('SELECT term FROM stems').pluck().all()).toEqual([])
      expect(counts.prepare('SELECT count(*) FROM words_docsize').pluck().get()).toBe(0)
    }),
  )
  counts.close()
  await store.close()
})

it('keeps all over a closing', async () => {
  const file = newFile()
  const first = openEmbeddedStore(file)
  await first.replaceDocuments(embedder, [await makeDocument('a.md', 'Elephants are grey.')])
  await first.close()
  const again = openEmbeddedStore(file)
  expect(again.embedder_id).toBe(embedder.id)
  expect(await again.search('elephants', embedder, ALL, 5)).toHaveLength(1)
  await again.close()
})

describe('a damaged file is named', () => {
  it('where it is no database, or one of something else', async () => {
    for (const content of [
      'no database at all, but long enough to be looked at'.repeat(40),
      'SQLite format 3\0junk',
    ]) {
      const file = newFile()
      writeFileSync(file, content)
      expect(() => openEmbeddedStore(file)).toThrow(IndexDamaged)
      expect(() => openEmbeddedStore(file)).toThrow(file)
    }
  })

  it('where a table is missing, and is not kept open', async () => {
    const file = newFile()
    await openEmbeddedStore(file).close()
    const connection = new BetterSqlite(file)
    connection.exec('DROP TABLE chunks')
    connection.close()
    const openFiles = () =>
      readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).startsWith(file)
        } catch {
          return false
        }
      })
    expect(() => openEmbeddedStore(file)).toThrow(IndexDamaged)
    expect(openFiles()).toEqual([])
  })

  it('where its pages are overwritten, at the latest when they are needed', async () => {
    const file = newFile()
    const store = openEmbeddedStore(file)
    const documents = Array.from({ length: 60 }, (_, at) =>
      makeDocument(`${at}.md`, `# Part ${at}\n${'word '.repeat(200)}`),
    )
    await store.replaceDocuments(embedder, await Promise.all(documents))
    await store.close()
    const bytes = readFileSync(file)
    bytes.fill(0x5a, 4_096, statSync(file).size)
    writeFileSync(file, bytes)
    const use = async () => {
      const broken = openEmbeddedStore(file)
      try {
        await broken.search('word', embedder, ALL, 5)
        await broken.listDocuments()
      } finally {
        await broken.close()
      }
    }
    const fault = await use().then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(fault).toBeInstanceOf(IndexDamaged)
    expect((fault as IndexDamaged).file).toBe(file)
  })
})
