import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openHub } from '../../src/operations/hub.ts'
import { recordIndexOf } from '../../src/platform/knowledge/records/record-index.ts'
import { createBackup } from '../../src/platform/storage/backup/backup.ts'
import { restoreBackup } from '../../src/platform/storage/backup/restore-backup.ts'
import { DATABASES, type DatabaseName, makeTestHome } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { temporaryFolder } from '../store/temporary-folder.ts'
import { type KnowledgeHub, startKnowledgeHub } from './knowledge-project.fixture.ts'
import {
  addSource,
  collect,
  deleteSource,
  entriesOf,
  indexText,
  type RecordingHub,
} from './knowledge-records.fixture.ts'

const SECRET = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz'
const ELEPHANT = { title: 'On elephants', body: 'Elephants walk far to drink.' }

async function startWithSource(database: DatabaseName) {
  const tools = await startKnowledgeHub(null, { database })
  const id = await addSource(tools.hub.hub)
  const allow = (...connections: string[]) =>
    tools.project.write('.flow/config.json', JSON.stringify({ knowledge: { connections } }))
  return { tools, hub: tools.hub.hub, id, allow }
}

async function pathsOf(tools: KnowledgeHub, query: string, more: object = {}): Promise<string[]> {
  return (await tools.search(query, { kind: 'record', ...more })).results.map(({ path }) => path)
}

describe.each(DATABASES)('records of connections on %s', (database) => {
  verifies(
    'TOOL-102',
    'are found by a project’s agents once the owner has named their connection',
    async () => {
      const { tools, hub, id, allow } = await startWithSource(database)
      await using _tools = tools
      const other = await addSource(hub)
      await collect(hub, id, { one: ELEPHANT, two: { title: 'On zebras', body: 'Zebras have stripes.' } })
      await collect(hub, other, { three: { body: 'Elephants of the others.' } })
      const ask = () => pathsOf(tools, 'how far do elephants walk?')
      expect(await ask()).toEqual([])
      expect(database === 'sqlite' && existsSync(hub.home.recordIndex)).toBe(false)
      allow(id)
      const [first] = (await tools.search('how far do elephants walk?', { kind: 'record' })).results
      expect(first).toMatchObject({
        path: `record:${id}/notes/one`,
        name: 'On elephants',
        kind: 'record',
        readable: false,
        start_line: 1,
        end_line: 2,
        snippet: 'title: On elephants\nbody: Elephants walk far to drink.',
      })
      expect(first?.reasons.join('; ')).toMatch(/words: .*elephants/)
      expect((await ask()).every((path) => path.startsWith(`record:${id}/`))).toBe(true)
      allow()
      expect(await ask()).toEqual([])
    },
  )

  verifies(
    'TOOL-102',
    'are found beside what the project itself says, best first, within one limit',
    async () => {
      const { tools, hub, id, allow } = await startWithSource(database)
      await using _tools = tools
      allow(id)
      tools.project.write('docs/specs/lions.md', '# Lions\n\nLions sleep while elephants walk.\n')
      await collect(hub, id, { one: ELEPHANT })
      await tools.search('elephants')
      await tools.settled()
      const { results } = await tools.search('elephants walk far to drink')
      expect(results.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['record', 'doc']))
      expect(results[0]?.path).toBe(`record:${id}/notes/one`)
      const scores = results.map(({ score }) => score)
      expect(scores).toEqual(scores.toSorted((one, other) => other - one))
      expect((await tools.search('elephants walk', { limit: 1 })).results).toHaveLength(1)
      expect((await tools.search('elephants walk', { kind: 'doc' })).results.map(({ kind }) => kind)).toEqual(
        ['doc'],
      )
      expect(
        (await tools.search('elephants', { path: '../../docs' })).results.map(({ kind }) => kind),
      ).toEqual(['doc'])
    },
  )

  test('are narrowed by their paths; a connection that is not named is out of reach', async () => {
    const { tools, hub, id, allow } = await startWithSource(database)
    await using _tools = tools
    const other = await addSource(hub)
    allow(id)
    await collect(hub, id, { one: ELEPHANT, 'one/more': ELEPHANT, oneself: ELEPHANT })
    await collect(hub, id, { one: ELEPHANT }, { stream: 'mails' })
    const at = async (path: string) => (await pathsOf(tools, 'elephants', { path, limit: 9 })).toSorted()
    const own = (...keys: string[]) => keys.map((key) => `record:${id}/${key}`)
    expect(await at(`record:${id}/notes/one`)).toEqual(own('notes/one', 'notes/one/more'))
    expect(await at(`record:${id}/mails/`)).toEqual(own('mails/one'))
    expect(await at(`record:${id}`)).toHaveLength(4)
    expect(await at('record:')).toHaveLength(4)
    for (const path of [`record:${other}`, `record:${other}/notes`, 'record:conn_', `record:${id}x/notes`])
      expect([path, await tools.codeOf('direct', 'search_knowledge', { query: 'elephants', path })]).toEqual([
        path,
        'SecurityError',
      ])
  })

  test('are followed: what changed is found anew, what is gone is gone', async () => {
    const { tools, hub, id, allow } = await startWithSource(database)
    await using _tools = tools
    allow(id)
    await collect(hub, id, { one: ELEPHANT, two: { body: 'Zebras have stripes.' } })
    expect(await pathsOf(tools, '"elephants"')).toEqual([`record:${id}/notes/one`])
    await collect(hub, id, { one: { body: 'Lions sleep.' } }, { removals: ['two'] })
    expect(await pathsOf(tools, '"elephants"')).toEqual([])
    expect(await pathsOf(tools, '"zebras"')).toEqual([])
    expect(await pathsOf(tools, '"lions"')).toEqual([`record:${id}/notes/one`])
    await collect(hub, id, { two: { body: 'Zebras are back.' } })
    await recordIndexOf(hub).refresh()
    expect(await indexText(hub)).toContain('Zebras are back.')
  })

  verifies(
    'TOOL-108',
    'have no secrets in the index, neither in what they say nor in their keys',
    async () => {
      const { tools, hub, id, allow } = await startWithSource(database)
      await using _tools = tools
      allow(id)
      await collect(hub, id, {
        one: {
          title: `Key ${SECRET}`,
          body: `elephants use ${SECRET}\nand password: hunter2hunter2`,
          list: [SECRET],
        },
        [`https://example.test/?token=${SECRET}`]: ELEPHANT,
      })
      const { results } = await tools.search('elephants', { kind: 'record' })
      expect(results).toHaveLength(2)
      const held = await indexText(hub)
      expect(held).toContain('elephants use')
      for (const secret of [SECRET, 'hunter2hunter2']) {
        expect(held).not.toContain(secret)
        expect(JSON.stringify(results)).not.toContain(secret)
      }
      await collect(hub, id, {}, { removals: [`https://example.test/?token=${SECRET}`] })
      expect(await pathsOf(tools, 'elephants')).toEqual([`record:${id}/notes/one`])
    },
  )

  test('are taken in step by step: until all are in, the answer says so', async () => {
    const { tools, hub, id, allow } = await startWithSource(database)
    await using _tools = tools
    allow(id)
    const many = Array.from({ length: 1_200 }, (_, at) => [`k${at}`, { body: `zebra number ${at}` }])
    await collect(hub, id, Object.fromEntries(many))
    await collect(hub, id, { last: ELEPHANT })
    const first = await tools.search('"elephants"', { kind: 'record' })
    expect(first).toMatchObject({ results: [], warning: 'Knowledge Base Building...' })
    await recordIndexOf(hub).refresh()
    const then = await tools.search('"elephants"', { kind: 'record' })
    expect([then.warning, then.results.length]).toEqual([undefined, 1])
  })
})

/** A change of what is collected, or a look at it. */
const Acts = fc.array(
  fc.oneof(
    fc.record({
      act: fc.constant('put' as const),
      key: fc.integer({ min: 0, max: 4 }),
      word: fc.integer({ min: 0, max: 3 }),
    }),
    fc.record({ act: fc.constant('remove' as const), key: fc.integer({ min: 0, max: 4 }) }),
    fc.record({
      act: fc.constantFrom('search' as const, 'refresh' as const, 'delete' as const, 'both' as const),
    }),
  ),
  { maxLength: 25 },
)
const WORDS = ['elephants', 'zebras', 'lions', 'giraffes']

test('the index says at every search what the records say, whatever happened before', async () => {
  await using made = await makeTestHome()
  const hub = await openHub(made.options)
  try {
    await fc.assert(
      fc.asyncProperty(Acts, (acts) => followModel(hub, acts)),
      { numRuns: 40 },
    )
  } finally {
    await hub.close()
  }
})

type Act = { act: string; key?: number; word?: number }

async function followModel(hub: RecordingHub, acts: readonly Act[]): Promise<void> {
  let id = await addSource(hub)
  const model = new Map<string, string>()
  for (const { act, key = 0, word = 0 } of acts) {
    if (act === 'put') {
      await collect(hub, id, { [`k${key}`]: { body: `${WORDS[word]} ${key}` } })
      model.set(`k${key}`, WORDS[word] as string)
    } else if (act === 'remove') {
      await collect(hub, id, {}, { removals: [`k${key}`] })
      model.delete(`k${key}`)
    } else if (act === 'delete') {
      await Promise.all([
        deleteSource(hub, id),
        recordIndexOf(hub).refresh(),
        recordIndexOf(hub).search('zebras', [id], [`record:${id}/`], 9),
      ])
      expect(await entriesOf(hub, id)).toEqual([])
      await expectFound(hub, id, new Map())
      id = await addSource(hub)
      model.clear()
    } else if (act === 'refresh') await recordIndexOf(hub).refresh()
    else if (act === 'both') await Promise.all([recordIndexOf(hub).refresh(), expectFound(hub, id, model)])
    else await expectFound(hub, id, model)
  }
  await expectFound(hub, id, model)
}

async function expectFound(hub: RecordingHub, id: string, model: ReadonlyMap<string, string>): Promise<void> {
  for (const word of WORDS) {
    const { hits } = await recordIndexOf(hub).search(`"${word}"`, [id], [`record:${id}/`], 20)
    const wanted = [...model].filter(([, said]) => said === word).map(([key]) => `record:${id}/notes/${key}`)
    expect(hits.map(({ path }) => path).toSorted()).toEqual(wanted.toSorted())
  }
}

test('a damaged index of records is made anew, for a search as for a delete', async () => {
  await using made = await makeTestHome()
  for (const use of ['search', 'erase'] as const) {
    const hub = await openHub(made.options)
    const id = await addSource(hub)
    await collect(hub, id, { one: ELEPHANT })
    const find = async (one: RecordingHub) =>
      (await recordIndexOf(one).search('elephants', [id], [`record:${id}/`], 5)).hits.length
    expect(await find(hub)).toBe(1)
    await hub.close()
    const bytes = readFileSync(hub.home.recordIndex)
    writeFileSync(hub.home.recordIndex, bytes.fill(0x5a, use === 'search' ? 0 : 4_096))
    const again = await openHub(made.options)
    if (use === 'search') expect(await find(again)).toBe(1)
    else {
      await deleteSource(again, id)
      expect(await indexText(again)).not.toContain('Elephants')
    }
    await again.close()
  }
})

test('an index that is ahead of its database begins anew', async () => {
  await using made = await makeTestHome()
  const hub = await openHub(made.options)
  const id = await addSource(hub)
  await collect(hub, id, { one: ELEPHANT })
  const find = async () =>
    (await recordIndexOf(hub).search('elephants', [id], [`record:${id}/`], 5)).hits.length
  expect(await find()).toBe(1)
  expect(statSync(hub.home.recordIndex).mode & 0o777).toBe(0o600)
  const index = new BetterSqlite(hub.home.recordIndex)
  index.prepare('UPDATE record_cursors SET seq = 99').run()
  index.prepare('DELETE FROM documents').run()
  index.close()
  expect(await find()).toBe(1)
  await hub.close()
})

test('a restored database gets an index of its own', async () => {
  await using made = await makeTestHome()
  const { home, env, system } = made.options
  const hub = await openHub(made.options)
  const id = await addSource(hub)
  const backup = join(temporaryFolder(), 'backup')
  await createBackup(home, env, backup, system)
  await collect(hub, id, { one: ELEPHANT })
  expect((await recordIndexOf(hub).search('elephants', [id], [`record:${id}/`], 5)).hits).toHaveLength(1)
  await hub.close()
  await restoreBackup(home, env, backup, system, { force: true })
  expect(existsSync(home.recordIndex)).toBe(false)
  const again = await openHub(made.options)
  await collect(again, id, { two: { body: 'Zebras have stripes.' } })
  const { hits } = await recordIndexOf(again).search('elephants zebras', [id], [`record:${id}/`], 5)
  expect(hits.map(({ path }) => path)).toEqual([`record:${id}/notes/two`])
  await again.close()
})
