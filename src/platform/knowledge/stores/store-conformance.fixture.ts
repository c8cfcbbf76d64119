import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chunkDocument } from '../chunking/chunk-document.ts'
import type { KnowledgeDocument, KnowledgeHit, KnowledgeScope, KnowledgeStore } from '../knowledge.ts'
import { openStaticEmbedder } from '../vectors/static-embedder.ts'

const ALL: KnowledgeScope = { prefixes: [''] }
const embedder = openStaticEmbedder()

const SOURCES: Record<string, string> = {
  'billing/src/retry.ts': `
export function retryLater(attempt: () => void, delay_ms: number): void {
  setTimeout(attempt, delay_ms * 2)
}

export function parseHeader(line: string): string[] {
  return line.split(':').map((part) => part.trim())
}
`,
  'billing/test/retry.test.ts': `
it('retries later', () => {
  retryLater(attempt, 5)
})
`,
  'docs/guide.md': `
# Guide
## Sending mail
Letters go out through the relay once an hour, in the order they were written.
## Payment limits
A card is charged at most three times a day. After that the customer has to call.
`,
  'other/src/retry.py': `
def retry_later(attempt, delay):
    sleep(delay)
    attempt()
`,
  'other/config.yaml': 'retry:\n  later: true\n',
}

/** Has no word of what it asks for. */
const BY_VECTOR = 'email messages are delivered'

/** A document of the store with the vectors of its chunks. */
export async function makeDocument(path: string, text: string): Promise<KnowledgeDocument> {
  const chunks = chunkDocument(path, text)
  return { path, sha256: `sha of ${text}`, chunks, vectors: await embedder.embedChunks(path, chunks) }
}

/** What the tests of a store use: it stands for the store that is open at the moment. */
interface Bench {
  store: KnowledgeStore
  search(query: string, scope?: KnowledgeScope, limit?: number): Promise<KnowledgeHit[]>
  pathsOf(query: string, scope?: KnowledgeScope): Promise<string[]>
}

/** What every store has to do alike. The factory opens an empty one before each test. */
export function describeStore(name: string, open: () => Promise<KnowledgeStore>): void {
  describe(`a knowledge store: ${name}`, () => {
    const bench = {} as Bench
    beforeEach(async () => {
      const store = await open()
      const documents = await Promise.all(Object.entries(SOURCES).map((source) => makeDocument(...source)))
      await store.replaceDocuments(embedder, documents)
      const search: Bench['search'] = (query, scope = ALL, limit = 10) =>
        store.search(query, embedder, scope, limit)
      const pathsOf: Bench['pathsOf'] = async (...asked) => (await search(...asked)).map(({ path }) => path)
      Object.assign(bench, { store, search, pathsOf })
    })
    afterEach(() => bench.store.close())
    testFinding(bench)
    testLimits(bench)
    testChanges(bench)
  })
}

function testFinding(bench: Bench): void {
  it('knows its documents and its embedder', async () => {
    expect(bench.store.embedder_id).toBe(embedder.id)
    const listed = await bench.store.listDocuments()
    expect([...listed.keys()].toSorted()).toEqual(Object.keys(SOURCES).toSorted())
    expect(listed.get('docs/guide.md')).toBe(`sha of ${SOURCES['docs/guide.md']}`)
  })

  it('finds a function by what it does, with its lines, its text and reasons', async () => {
    const [hit] = await bench.search('splits the header of a line into parts')
    expect(hit).toMatchObject({
      path: 'billing/src/retry.ts',
      name: 'parseHeader',
      kind: 'code',
      start_line: 6,
      end_line: 8,
    })
    expect(hit?.text).toContain('line.split')
    expect(hit?.reasons.length).toBeGreaterThan(0)
    for (const reason of hit?.reasons ?? []) expect(reason).toMatch(/^(?:words|symbol|vector): \S/)
  })

  it('finds what shares no word with the question, by vector alone', async () => {
    const [hit] = await bench.search(BY_VECTOR)
    expect(hit).toMatchObject({ path: 'docs/guide.md', name: 'Guide › Sending mail' })
    expect(hit?.reasons).toEqual([
      expect.stringMatching(/^vector: 0\.\d\d$/),
      'without: email, messages, delivered',
    ])
    const elsewhere = await bench.search(BY_VECTOR, { prefixes: ['billing/', 'other/'] })
    expect(elsewhere.map(({ path }) => path)).not.toContain('docs/guide.md')
    const code = await bench.search(BY_VECTOR, { prefixes: [''], kinds: ['code'] })
    expect(code.map(({ kind }) => kind)).not.toContain('doc')
  })

  it('finds a section of prose', async () => {
    const [hit] = await bench.search('how often can a card be charged?')
    expect(hit).toMatchObject({ path: 'docs/guide.md', name: 'Guide › Payment limits', kind: 'doc' })
  })

  it('puts the definition of a name first, and its test after', async () => {
    const hits = await bench.search('retryLater')
    expect(hits[0]).toMatchObject({ path: 'billing/src/retry.ts', name: 'retryLater' })
    expect(hits[0]?.reasons.some((reason) => reason.startsWith('symbol: '))).toBe(true)
    expect(hits.flatMap(({ reasons }) => reasons).some((reason) => reason.startsWith('vector'))).toBe(false)
    expect((await bench.search('retry_later'))[0]?.path).toBe('other/src/retry.py')
  })

  it('finds quoted text only where it is', async () => {
    expect(await bench.pathsOf('"at most three times"')).toEqual(['docs/guide.md'])
    expect(await bench.pathsOf('"three most at times"')).toEqual([])
    expect(await bench.pathsOf('"at most three elephants"')).toEqual([])
  })
}

function testLimits(bench: Bench): void {
  it('shows nothing outside the scope, and all that is inside', async () => {
    const own = await bench.pathsOf('retry later', { prefixes: ['billing/', 'docs/'] })
    expect(own).toContain('billing/src/retry.ts')
    expect(own.filter((path) => path.startsWith('other/'))).toEqual([])
    expect(await bench.pathsOf('retry later', { prefixes: [] })).toEqual([])
    expect(await bench.pathsOf('retry later', { prefixes: ['bill%', 'other/src_'] })).toEqual([])
    expect(new Set(await bench.pathsOf('retry later', { prefixes: [''], kinds: ['test'] }))).toEqual(
      new Set(['billing/test/retry.test.ts']),
    )
    expect(await bench.pathsOf('retry later', { prefixes: [''], kinds: [] })).toEqual([])
  })

  it('fills the list from inside the scope, however much better the rest is', async () => {
    const better = Array.from({ length: 300 }, (_, at) =>
      makeDocument(`crowd/${at}.ts`, `function retryLater() {\n  retry(later, ${at})\n}\n`),
    )
    await bench.store.replaceDocuments(embedder, await Promise.all(better))
    expect(await bench.pathsOf('retry later', { prefixes: ['other/src/'] })).toEqual(['other/src/retry.py'])
    expect((await bench.pathsOf('retryLater', { prefixes: ['billing/'] }))[0]).toBe('billing/src/retry.ts')
  })

  it('gives at most as many as asked, best first, and none for an empty query', async () => {
    expect(await bench.search('retry', ALL, 1)).toHaveLength(1)
    const scores = (await bench.search('retry later')).map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    for (const query of ['', '   ', '"', '"" ()', '…', '* OR NEAR(', 'a'.repeat(5_000)])
      expect(Array.isArray(await bench.search(query))).toBe(true)
    expect(await bench.search('')).toEqual([])
  })
}

function testChanges(bench: Bench): void {
  it('compares with the vectors that are there now, not with former ones', async () => {
    const first = async () => (await bench.search(BY_VECTOR))[0]?.path
    expect(await first()).toBe('docs/guide.md')
    const mail = await makeDocument('docs/post.md', '# Post\n\nEach letter is sent by mail.\n')
    const other = await makeDocument('docs/guide.md', '# Guide\n\nA triangle has three corners.\n')
    await bench.store.replaceDocuments(embedder, [mail, other])
    expect(await first()).toBe('docs/post.md')
    expect(await bench.pathsOf(BY_VECTOR)).not.toContain('docs/guide.md')
    await bench.store.removeDocuments(['docs/post.md'])
    expect(await bench.pathsOf(BY_VECTOR)).not.toContain('docs/post.md')
    await bench.store.replaceDocuments(embedder, [mail])
    expect(await bench.pathsOf(BY_VECTOR)).toEqual([...new Set(await bench.pathsOf(BY_VECTOR))])
    expect(await first()).toBe('docs/post.md')
  })

  it('forgets what a document said before it was replaced', async () => {
    await bench.store.replaceDocuments(embedder, [
      await makeDocument('docs/guide.md', '# Guide\nElephants only.\n'),
    ])
    expect(await bench.pathsOf('"charged"')).toEqual([])
    expect(await bench.pathsOf('"elephants"')).toEqual(['docs/guide.md'])
    expect((await bench.store.listDocuments()).size).toBe(Object.keys(SOURCES).length)
  })

  it('forgets removed documents, and does not mind unknown ones', async () => {
    await bench.store.removeDocuments(['docs/guide.md', 'no/such.ts'])
    expect(await bench.pathsOf('how often can a card be charged?')).not.toContain('docs/guide.md')
    expect((await bench.store.listDocuments()).has('docs/guide.md')).toBe(false)
  })

  it('is empty once cleared, and can be filled again', async () => {
    await bench.store.clear()
    expect(bench.store.embedder_id).toBeUndefined()
    expect(await bench.search('retry later')).toEqual([])
    expect((await bench.store.listDocuments()).size).toBe(0)
    await bench.store.replaceDocuments(embedder, [await makeDocument('a.md', 'retry later')])
    expect(await bench.pathsOf('retry later')).toEqual(['a.md'])
  })

  it('takes several documents or none', async () => {
    const good = await makeDocument('good.md', 'elephants')
    const bad = { ...(await makeDocument('bad.md', 'zebras')), vectors: [] }
    await expect(bench.store.replaceDocuments(embedder, [good, bad])).rejects.toThrow()
    expect((await bench.store.listDocuments()).has('good.md')).toBe(false)
    expect(await bench.pathsOf('"elephants"')).toEqual([])
  })
}
