import { randomBytes } from 'node:crypto'
import { basename } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { freshPostgresUrl } from '../../../../test/store/postgres-server.ts'
import { temporaryFolder } from '../../../../test/store/temporary-folder.ts'
import type { Database } from '../../storage/database.ts'
import { migrate } from '../../storage/migrate.ts'
import { openPostgres } from '../../storage/postgres/postgres.ts'
import { dumpPostgres, loadPostgres } from '../../storage/postgres/postgres-dump.ts'
import { migrations } from '../../storage/schema.ts'
import type { KnowledgeStore } from '../knowledge.ts'
import { openStaticEmbedder } from '../vectors/static-embedder.ts'
import { openPostgresStore } from './postgres-store.ts'
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
    [`${'ж'.repeat(1_150)}.md`]: 'a long name',
    [`${randomBytes(3_000).toString('hex')}.md`]: 'a name for which there is no room',
  }
  const documents = await Promise.all(Object.entries(texts).map((entry) => makeDocument(...entry)))
  await store.replaceDocuments(embedder, documents)
  expect((await store.listDocuments()).size).toBe(6)
  for (const [query, path] of [
    ['"été"', "it's.md"],
    ['"before"', 'nul.md'],
    ['поиск', 'script.md'],
    ['検索', 'script.md'],
    ["l'été \\ ' & | ! <-> :*", "it's.md"],
  ] as const)
    expect([query, (await store.search(query, embedder, ALL, 1))[0]?.path]).toEqual([query, path])
})

it('goes through a backup as it is', async () => {
  const space = newSpace()
  const store = await openPostgresStore(db, space)
  await store.replaceDocuments(embedder, [await makeDocument("it's.md", "# It's\nElephants aren't \\ grey.")])
  const folder = temporaryFolder()
  const { files, ...rest } = await dumpPostgres(db, folder)
  const tables = files.map((file) => basename(file, '.jsonl'))
  const other = await openPostgres(await freshPostgresUrl())
  onTestFinished(() => other.close())
  await loadPostgres(other, folder, { ...rest, tables }, new Date())
  const copy = await openPostgresStore(other, space)
  expect([copy.embedder_id, await copy.listDocuments()]).toEqual([embedder.id, await store.listDocuments()])
  const ask = (one: KnowledgeStore) => one.search("elephants aren't grey", embedder, ALL, 5)
  expect(await ask(copy)).toEqual(await ask(store))
  expect(await ask(copy)).toHaveLength(1)
})
