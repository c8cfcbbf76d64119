import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openEmbeddedStore } from './embedded-store.ts'
import { openStaticEmbedder } from './static-embedder.ts'
import { makeDocument } from './store-conformance.fixture.ts'

const embedder = openStaticEmbedder()
let folder = ''
let made = 0

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowtation-order-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What is found in some documents, in its order. */
async function find(query: string, sources: Record<string, string>) {
  const store = openEmbeddedStore(join(folder, `${made++}.db`))
  const documents = await Promise.all(Object.entries(sources).map((source) => makeDocument(...source)))
  await store.replaceDocuments(embedder, documents)
  const hits = await store.search(query, embedder, { prefixes: [''] }, 10)
  await store.close()
  return hits
}

const pathsOf = async (query: string, sources: Record<string, string>) =>
  (await find(query, sources)).map(({ path }) => path)

const asFunction = (name: string, text: string) => `function ${name}() {\n  return '${text}'\n}\n`

// Where two documents are alike, the one whose path comes first is shown first.
it('puts a section first that begins with the words', async () => {
  const filler = 'Much is said about boats, their sails and the wind in the harbour. '.repeat(5)
  const told = 'A card is charged up to its limit. '
  const query = 'the limit of a card'
  expect(await pathsOf(query, { 'a.md': `${filler}${told}`, 'b.md': `${told}${filler}` })).toEqual([
    'b.md',
    'a.md',
  ])
  const code = {
    'a.ts': asFunction('text', `${filler}${told}`),
    'b.ts': asFunction('text', `${told}${filler}`),
  }
  expect(await pathsOf(query, code)).toEqual(['a.ts', 'b.ts'])
})

it('puts the section first whose heading is the query, small words or not', async () => {
  const [first, second] = await find('Payment limits', {
    'a.md': '# Payment limits of a card\nPayment limits: each card has limits, each payment has too.\n',
    'b.md': '# The payment limits\nThe customer has to call.\n',
  })
  expect(first).toMatchObject({ path: 'b.md' })
  expect(first?.reasons).toContain('heading: The payment limits')
  expect(second?.reasons.some((reason) => reason.startsWith('heading'))).toBe(false)
})

it('puts the document first of which several parts fit, unless prose is asked for', async () => {
  const fits = asFunction('sealLid', 'wax on the rim of the jar')
  const others = asFunction('warmWax', 'wax for the rim') + asFunction('wipeRim', 'the rim of the jar')
  const code = { 'a.ts': fits + asFunction('count', 'boats'), 'b.ts': fits + others }
  const [best] = await find('seals the rim of the jar with wax', code)
  expect(best).toMatchObject({ path: 'b.ts', name: 'sealLid' })
  const prose = {
    'a.md': '# Jars\nWax seals the rim of a jar.\n',
    'b.md': '# Jars\nWax seals the rim of a jar.\n\n# Rims\nWax for the rim.\n',
  }
  expect((await pathsOf('Wax On Rims Of Jars', prose))[0]).toBe('a.md')
})

it('shows more documents where a change is told of', async () => {
  const names = ['lidOfBox', 'boxLid', 'openLidOfBox', 'closeLidOfBox']
  const sources = {
    'a.ts': names.map((name) => asFunction(name, 'the lid of the box')).join('\n'),
    'b.ts': asFunction('boxes', 'a lid is what each of them has'),
  }
  expect((await pathsOf('the lid of a box', sources)).at(-1)).toBe('b.ts')
  expect((await pathsOf('fix: the lid of a box', sources)).indexOf('b.ts')).toBeLessThan(3)
})
