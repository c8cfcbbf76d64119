import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshPostgresUrl } from '../../../test/store/postgres-server.ts'
import type { Database } from '../storage/database.ts'
import { migrate } from '../storage/migrate.ts'
import { openPostgres } from '../storage/postgres.ts'
import { migrations } from '../storage/schema.ts'
import { openPostgresStore } from './postgres-store.ts'
import { openStaticEmbedder } from './static-embedder.ts'
import { describeStore, makeDocument } from './store-conformance.fixture.ts'

const embedder = openStaticEmbedder()
const ALL = { prefixes: [''] }
let db: Database
let made = 0
const newSpace = () => `space-${made++}`

beforeAll(async () => {
  db = await openPostgres(await freshPostgresUrl())
  await migrate(db, migrations, new Date('2026-11-01T00:00:00.000Z'))
})
afterAll(() => db.close())

describeStore("in a hub's PostgreSQL", () => openPostgresStore(db, newSpace()))

it('keeps spaces apart, and shows one opening what another wrote', async () => {
  const space = newSpace()
  const [reader, writer, other] = await Promise.all(
    [space, space, newSpace()].map((one) => openPostgresStore(db, one)),
  )
  await writer?.replaceDocuments(embedder, [await makeDocument('a.md', 'Elephants are grey.')])
  const find = async (store = reader) =>
    (await store?.search('"elephants"', embedder, ALL, 5))?.map(({ path }) => path)
  expect([await find(), await find(other)]).toEqual([['a.md'], []])
  await other?.clear()
  expect(await find()).toEqual(['a.md'])
  expect((await openPostgresStore(db, space)).embedder_id).toBe(embedder.id)
})

it('takes any text: quotes, backslashes, NUL, half characters, other scripts, very long ones', async () => {
  const store = await openPostgresStore(db, newSpace())
  const texts = {
    "it's.md": `l'été d'Ångström's \\'quoted\\' C:\\path`,
    'nul.md': 'before\0after \ud800 half',
    'script.md': '検索エンジン поиск मौसम',
    'long.md': Array.from({ length: 2_000 }, (_, at) => `word${at}x`).join(' '),
    'empty.md': '',
  }
  const documents = await Promise.all(Object.entries(texts).map((entry) => makeDocument(...entry)))
  await store.replaceDocuments(embedder, documents)
  expect((await store.listDocuments()).size).toBe(5)
  for (const [query, path] of [
    ['"été"', "it's.md"],
    ['"before"', 'nul.md'],
    ['поиск', 'script.md'],
    ['検索', 'script.md'],
    ["l'été \\ ' & | ! <-> :*", "it's.md"],
  ] as const)
    expect([query, (await store.search(query, embedder, ALL, 1))[0]?.path]).toEqual([query, path])
})
