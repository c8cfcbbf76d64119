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
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IndexDamaged } from './damaged-index.ts'
import { openEmbeddedStore } from './embedded-store.ts'
import { openStaticEmbedder } from './static-embedder.ts'
import { describeStore, makeDocument } from './store-conformance.fixture.ts'

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
    connection.exec('DROP TABLE vectors')
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
