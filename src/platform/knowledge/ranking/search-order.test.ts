import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openEmbeddedStore } from '../stores/embedded/embedded-store.ts'
import { makeDocument } from '../stores/store-conformance.fixture.ts'
import { openStaticEmbedder } from '../vectors/static-embedder.ts'

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

it('puts the document first of which several parts fit', async () => {
  const fits = asFunction('sealLid', 'wax on the rim of the jar')
  const others = asFunction('warmWax', 'wax for the rim') + asFunction('wipeRim', 'the rim of the jar')
  const code = { 'a.ts': fits + asFunction('count', 'boats'), 'b.ts': fits + others }
  const [best] = await find('seals the rim of the jar with wax', code)
  expect(best).toMatchObject({ path: 'b.ts', name: 'sealLid' })
  const fitting = '# Jars\nWax seals the rim of a jar, and a cloth keeps the dust away from it.\n'
  const prose = {
    'a.md': `${fitting}\n# Boats\nThey wait for the wind in the harbour until the morning comes.\n`,
    'b.md': `${fitting}\n# Rims\nWax for the rim is warmed until it runs, and then it is put on.\n`,
  }
  expect((await pathsOf('Wax On Rims Of Jars', prose))[0]).toBe('b.md')
})

it('puts a section of a few words behind one that says something', async () => {
  const told = 'A card is charged up to its limit, and the customer is told of it by a letter.'
  const prose = {
    'a.md': '# Cards\nThe limit of a card.\n',
    'b.md': `# Cards\nThe limit of a card. ${told}\n`,
  }
  expect(await pathsOf('How do I set the limit of a card?', prose)).toEqual(['b.md', 'a.md'])
})

it('puts the file first whose name is told, where a change is', async () => {
  const sources = {
    'src/lid-hinge-box.ts': asFunction('lidHinge', 'the hinge of the lid squeaks, it squeaks'),
    'src/lid-hinge.ts': asFunction('lidHinge', 'the hinge of the lid squeaks'),
  }
  expect((await pathsOf('fix: the lid hinge squeaks', sources))[0]).toBe('src/lid-hinge.ts')
})

it('takes a name in a description for what is worked on, and in a change for what is changed', async () => {
  const sources = {
    'a.ts': 'class LidOpener {\n  hinge = 1\n  force = 2\n  angle = 3\n}\n',
    'b.ts': 'function turn(lid) {\n  const opener = makeOpener(lid)\n  return opener.raise(lid)\n}\n',
  }
  const bonusOf = async (query: string) => {
    const hits = await find(query, sources)
    return hits
      .find(({ name }) => name === 'LidOpener')
      ?.reasons.some((reason) => reason.startsWith('symbol'))
  }
  expect(await bonusOf('raises the lid by a LidOpener with much force')).toBe(false)
  expect(await bonusOf('fix: raise the lid by a LidOpener with much force')).toBe(true)
})

it('shows of what has the name asked for first what has a comment, and a long one from its beginning', async () => {
  const plain = 'function openLid() {\n  return raise(lid)\n}\n'
  const told = `// Raises the lid, which is heavy.\n${plain}`
  expect(await pathsOf('openLid', { 'a.ts': plain, 'b.ts': told })).toEqual(['b.ts', 'a.ts'])
  const python = 'def open_lid():\n    return raise_it(lid)\n'
  const said = 'def open_lid():\n    """Raises the lid, which is heavy."""\n    return raise_it(lid)\n'
  expect(await pathsOf('open_lid', { 'a.py': python, 'b.py': said })).toEqual(['b.py', 'a.py'])
  const lines = Array.from({ length: 120 }, (_, at) => `  const turn${at} = open + lid + open + lid + ${at}`)
  const long = `function openLid() {\n${lines.join('\n')}\n}\n`
  expect((await find('openLid', { 'a.ts': long }))[0]?.start_line).toBe(1)
})

it('takes a single word for a name where something is called so', async () => {
  const sources = {
    'a.md':
      '# Hinges\nThe hinge, a hinge, each hinge of a lid: a hinge turns, and a hinge is oiled once a year.\n',
    'b.ts': 'function hinge(lid) {\n  const other = lid.turn()\n  return other\n}\n',
  }
  expect((await pathsOf('hinge', sources))[0]).toBe('b.ts')
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

const LID = 'the hinge of a lid is oiled and the lid is checked for rust'

it('answers a question by code, and one on how to use a thing by prose', async () => {
  const sources = { 'docs/lids.md': `# Lids\nSo ${LID}.\n`, 'src/lids.ts': asFunction('checkLid', LID) }
  expect(await pathsOf('where is the lid checked for rust?', sources)).toEqual([
    'src/lids.ts',
    'docs/lids.md',
  ])
  expect(await pathsOf('how do I get the lid checked for rust?', sources)).toEqual([
    'docs/lids.md',
    'src/lids.ts',
  ])
})

it('puts logs of changes, licences and rules of conduct last unless they are asked for', async () => {
  const far = 'function far(lid) {\n  return lid\n}\n'
  const aside = ['CHANGELOG.md', 'docs/releases/2.0.md', 'CODE_OF_CONDUCT.md', 'LICENSE.md']
  for (const path of aside)
    expect(
      (await pathsOf('what changes the hinge of a lid', { [path]: `# Lids\n${LID}\n`, 'z.ts': far }))[0],
      path,
    ).toBe('z.ts')
  const all = {
    'CHANGELOG.md': `# Changes\nA ${LID}.\n`,
    'LICENSE.md': `# Licence\nA ${LID}.\n`,
    'z.ts': far,
  }
  expect((await pathsOf('the change log on lids', all))[0]).toBe('CHANGELOG.md')
  expect((await pathsOf('what is the licence of a lid', all))[0]).toBe('LICENSE.md')
})

it('finds a test by the words of its title, though what it tests has them too', async () => {
  const sources = {
    'src/lid.ts': asFunction('opensRustyLid', 'a rusty lid opens twice, rusty lid opens twice'),
    'src/lid.test.ts': "it('opens a rusty lid twice', () => {\n  lid.turn()\n  lid.turn()\n})\n",
    'lid_test.go': 'func TestShutsRustyLidTwice(t *testing.T) {\n\tlid.Turn()\n}\n',
  }
  expect((await pathsOf('opens a rusty lid twice', sources))[0]).toBe('src/lid.test.ts')
  expect((await pathsOf('shuts rusty lid twice', sources))[0]).toBe('lid_test.go')
  expect((await pathsOf('how does a rusty lid open twice?', sources))[0]).toBe('src/lid.ts')
})

it('puts what tools made behind all that people wrote, and says so', async () => {
  const by_tool = `// Code generated by lidgen. DO NOT EDIT.\n${asFunction('openLid', LID)}`
  const sources = {
    'a.ts': by_tool,
    'dist/b.js': asFunction('openLid', LID),
    'z.ts': 'const lid = openLid()\n',
  }
  for (const query of ['openLid', 'the hinge of a lid', 'where is the lid checked for rust?', '"openLid"']) {
    const hits = await find(query, sources)
    expect(hits[0]?.path, query).toBe('z.ts')
    for (const { path, reasons } of hits)
      expect(reasons.includes('made by a tool'), path).toBe(path !== 'z.ts')
  }
})

it('says which words a result is without, and finds nothing where nothing fits', async () => {
  const sources = { 'a.ts': asFunction('openLid', 'the hinge of a lid'), 'b.md': '# Boats\nThey sail.\n' }
  const [first] = await find('the hinge of a wardrobe', sources)
  expect(first?.reasons).toContain('without: wardrobe')
  expect((await find('openLid', sources))[0]?.reasons.some((one) => one.startsWith('without'))).toBe(false)
  expect(await find('xqzzy flurbl gronk', sources)).toEqual([])
})

const asTest = (title: string) => `it('${title}', () => {\n  expect(lid()).toBe(1)\n})\n`

it('finds the test first whose title is the query word for word, among those that have its words', async () => {
  const titles = ['uses the lid when no jar is open', 'how a lid is put on 1.0 jars']
  const sources = {
    'a.test.ts': asTest('uses the lid when a jar is open'),
    'b.test.ts': asTest('how lids are put on jars'),
    'y.test.ts': asTest(titles[0] as string),
    'z.test.ts': asTest(titles[1] as string),
    'lid.md': '# A lid is put on jars\nHow a lid is put on 1.0 jars, and when no jar is open.\n',
  }
  expect((await pathsOf(titles[0] as string, sources))[0]).toBe('y.test.ts')
  expect((await pathsOf(titles[1] as string, sources))[0]).toBe('z.test.ts')
})
