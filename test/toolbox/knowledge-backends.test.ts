import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { indexPlaceOf } from '../../src/platform/knowledge/index/index-place.ts'
import { startChroma } from '../../src/platform/knowledge/stores/chroma-server.fixture.ts'
import { hasEmbeddedIndex } from '../../src/platform/knowledge/stores/index-backends.ts'
import { startOllama } from '../../src/platform/knowledge/vectors/ollama-server.fixture.ts'
import type { TestHubOptions } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { startKnowledgeHub, until } from './knowledge-project.fixture.ts'

const BUS = '# Event bus\n\nHow the bus delivers messages to its listeners.\n'

async function startWith(knowledge: object, options: TestHubOptions = {}) {
  const tools = await startKnowledgeHub({ knowledge }, options)
  tools.project.write('docs/specs/bus.md', BUS)
  tools.project.write('docs/specs/old.md', '# Giraffes\n')
  return tools
}

const writeKnowledge = (tools: Awaited<ReturnType<typeof startWith>>, knowledge: object) =>
  tools.project.write('.flow/config.json', JSON.stringify({ knowledge }))

async function firstPath(
  tools: Awaited<ReturnType<typeof startWith>>,
  query: string,
): Promise<string | undefined> {
  return (await tools.search(query)).results[0]?.path
}

verifies(
  ['TOOL-102', 'TOOL-111'],
  'with vectors from Ollama, a project is indexed and found, and only what changed is embedded again',
  async () => {
    await using ollama = await startOllama()
    await using tools = await startWith({ embedder: { kind: 'ollama', url: ollama.url } })
    const first = await tools.knowledge('index')
    expect(first).toMatchObject({ mode: 'full', embedded: first.files })
    const asked = ollama.asked.length
    tools.project.write('docs/specs/bus.md', `${BUS}Zebras ride along.\n`)
    expect(await tools.knowledge('index')).toMatchObject({ mode: 'delta', embedded: 1 })
    const sent = ollama.asked.slice(asked).flatMap(({ body }) => (body as { input: string[] }).input)
    expect(sent.filter((text) => text.startsWith('search_document: '))).toHaveLength(1)
    expect(await firstPath(tools, 'how does the bus deliver messages?')).toBe('../../docs/specs/bus.md')
    expect(await firstPath(tools, '"zebras"')).toBe('../../docs/specs/bus.md')
  },
)

test('another embedder makes the index anew, and one that does not answer is told of by its setting', async () => {
  await using ollama = await startOllama()
  await using tools = await startWith({})
  expect((await tools.knowledge('index')).mode).toBe('full')
  writeKnowledge(tools, { embedder: { kind: 'ollama', url: ollama.url } })
  const told = await tools.knowledge('index')
  expect([told.mode, told.embedded, told.warnings]).toEqual([
    'full',
    told.files,
    ['The index was made otherwise and is made anew.'],
  ])
  await ollama[Symbol.asyncDispose]()
  const { error } = await tools.call('direct', 'search_knowledge', { query: 'how does the bus deliver?' })
  expect([error?.code, error?.message]).toEqual([
    'IOError',
    expect.stringContaining('knowledge.embedder.url'),
  ])
  await tools.settled()
  tools.project.write('docs/specs/bus.md', 'changed')
  const failed = (await tools.knowledge('index')) as unknown as { code: string; error: string }
  expect(JSON.stringify(failed)).toMatch(
    /knowledge_failed.*knowledge\.embedder\.url|knowledge\.embedder\.url.*knowledge_failed/,
  )
  writeKnowledge(tools, {})
  await tools.knowledge('index')
  const isFound = async () => (await firstPath(tools, '"changed"')) === '../../docs/specs/bus.md'
  await until(isFound, 'the built-in embedder has taken over')
})

const STORES = [
  ['Chroma', {}],
  ['the hub’s PostgreSQL', { database: 'postgres' }],
] as const

describe.each(STORES)('an index in %s', (_name, options: TestHubOptions) => {
  async function startStore() {
    const chroma = await startChroma()
    const store = options.database === 'postgres' ? { kind: 'hub' } : { kind: 'chroma', url: chroma.url }
    const tools = await startWith({ store }, options)
    return {
      ...tools,
      store,
      async [Symbol.asyncDispose]() {
        await tools[Symbol.asyncDispose]()
        await chroma[Symbol.asyncDispose]()
      },
    }
  }

  verifies(
    ['TOOL-102', 'TOOL-111'],
    'is made, searched within the scope of a seat, and follows the files',
    async () => {
      await using tools = await startStore()
      const first = await tools.knowledge('index')
      expect(first).toMatchObject({ mode: 'full', embedded: first.files, warnings: [] })
      expect(hasEmbeddedIndex(indexPlaceOf(tools.project.root).index)).toBe(false)
      expect(await tools.knowledge('index')).toMatchObject({ mode: 'delta', embedded: 0, removed: 0 })
      tools.project.write('docs/specs/bus.md', `${BUS}\n# Zebras\n\nThey have stripes.\n`)
      rmSync(join(tools.project.root, 'docs/specs/old.md'))
      expect(await tools.knowledge('index')).toMatchObject({ mode: 'delta', embedded: 1, removed: 1 })
      expect(await firstPath(tools, 'how does the bus deliver messages?')).toBe('../../docs/specs/bus.md')
      expect(await firstPath(tools, '"stripes"')).toBe('../../docs/specs/bus.md')
      expect((await tools.search('"giraffes"')).results).toEqual([])
      expect((await tools.search('theirs')).results.filter(({ path }) => path.includes('other'))).toEqual([])
    },
  )

  // No search in between: the hub would follow the project by itself then, and be there first.
  test('is left behind, and made anew in a file, when the owner says so; only that one can be exported', async () => {
    await using tools = await startStore()
    await tools.knowledge('index')
    const out = join(tools.project.base, 'index.rag')
    expect((await tools.knowledge('export', out)).code).toBe('knowledge_refused')
    writeKnowledge(tools, { store: { kind: 'builtin' } })
    expect((await tools.knowledge('index')).mode).toBe('full')
    expect(hasEmbeddedIndex(indexPlaceOf(tools.project.root).index)).toBe(true)
    await tools.knowledge('export', out)
    expect(existsSync(out)).toBe(true)
    writeKnowledge(tools, { store: tools.store })
    expect((await tools.knowledge('index')).mode).toBe('full')
    expect(hasEmbeddedIndex(indexPlaceOf(tools.project.root).index)).toBe(false)
    expect((await tools.knowledge('import', out)).code).toBe('knowledge_refused')
    expect(await firstPath(tools, 'how does the bus deliver messages?')).toBe('../../docs/specs/bus.md')
  })
})

test('left to itself, a hub on PostgreSQL keeps an index there, and any other in a file', async () => {
  for (const database of ['sqlite', 'postgres'] as const) {
    await using tools = await startWith({}, { database })
    await tools.knowledge('index')
    expect(hasEmbeddedIndex(indexPlaceOf(tools.project.root).index)).toBe(database === 'sqlite')
    expect(await firstPath(tools, 'how does the bus deliver messages?')).toBe('../../docs/specs/bus.md')
  }
})

test('an index that Chroma has lost is made again', async () => {
  await using first = await startChroma()
  await using tools = await startWith({ store: { kind: 'chroma', url: first.url } })
  const { files } = await tools.knowledge('index')
  const [chunks, documents] = await collectionsOf(first.url)
  for (const name of [chunks, documents])
    await fetch(`${first.url}${COLLECTIONS}/${name}`, { method: 'DELETE' })
  expect((await tools.knowledge('index')).embedded).toBe(files)
  expect(await firstPath(tools, 'how does the bus deliver messages?')).toBe('../../docs/specs/bus.md')
})

test('the hub’s PostgreSQL is no place for an index where the hub has none', async () => {
  await using tools = await startWith({ store: { kind: 'hub' } })
  expect((await tools.knowledge('index')).code).toBe('knowledge_failed')
})

verifies(
  'TOOL-109',
  'an address of another machine in the policy is refused, and so is every call',
  async () => {
    await using tools = await startKnowledgeHub(null)
    for (const knowledge of [
      { embedder: { kind: 'ollama', url: 'http://ollama.example.test:11434' } },
      { embedder: { kind: 'ollama', url: 'http://192.0.2.7:11434' } },
      { embedder: { kind: 'ollama', url: 'https://localhost' } },
      { embedder: { kind: 'builtin', url: 'http://localhost:11434' } },
      { embedder: { kind: 'openai' } },
      { store: { kind: 'chroma', url: 'http://[2001:db8::1]:8000' } },
      { store: { kind: 'chroma', url: 'localhost:8000' } },
      { store: { kind: 'hub', url: 'postgres://db.example.test' } },
      { embedder: { kind: 'ollama', model: '../secrets' } },
      { connections: ['conn_1', 'everything'] },
      { connections: ['*'] },
    ]) {
      writeKnowledge(tools, knowledge)
      for (const [tool, input] of [
        ['search_knowledge', { query: 'bus' }],
        ['read_file', { path: 'docs/a.md' }],
      ] as const) {
        const { error } = await tools.call('direct', tool, input)
        expect([knowledge, error?.code]).toEqual([knowledge, 'ConfigDamaged'])
        expect(error?.message).toContain('knowledge')
      }
    }
    expect(existsSync(indexPlaceOf(tools.project.root).index)).toBe(false)
  },
)

const COLLECTIONS = '/api/v2/tenants/default_tenant/databases/default_database/collections'

/** The names of the collections of the only index on a server. */
async function collectionsOf(url: string): Promise<string[]> {
  const listed = (await (await fetch(`${url}${COLLECTIONS}`)).json()) as { name: string }[]
  return listed.map(({ name }) => name).toSorted()
}
