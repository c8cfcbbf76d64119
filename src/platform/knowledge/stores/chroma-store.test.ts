import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/requirements/verifies.ts'
import { BackendUnavailable, LoopbackRefused } from '../loopback-http.ts'
import { answerJson, startLoopbackServer } from '../loopback-server.fixture.ts'
import { openStaticEmbedder } from '../vectors/static-embedder.ts'
import { startChromaDouble } from './chroma-double.fixture.ts'
import { type ChromaServer, findChroma, startChroma } from './chroma-server.fixture.ts'
import { openChromaStore } from './chroma-store.ts'
import { describeStore, makeDocument } from './store-conformance.fixture.ts'

const embedder = openStaticEmbedder()
const ALL = { prefixes: [''] }
const newSpace = () => randomBytes(8).toString('hex')
const NAME = findChroma() === undefined ? 'a double of Chroma' : 'a real Chroma server'

describe(`the store on ${NAME}`, () => {
  let server: ChromaServer
  beforeAll(async () => {
    server = await startChroma()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  describeStore(NAME, () => openChromaStore({ url: server.url, space: newSpace() }))

  it('lets one opening go on after another has cleared and filled it, with other dimensions too', async () => {
    const space = newSpace()
    const reader = await openChromaStore({ url: server.url, space })
    const writer = await openChromaStore({ url: server.url, space })
    const find = async () => (await reader.search('"elephants"', embedder, ALL, 5)).map(({ path }) => path)
    await writer.replaceDocuments(embedder, [await makeDocument('a.md', 'Elephants are grey.')])
    expect(await find()).toEqual(['a.md'])
    await writer.clear()
    expect(await find()).toEqual([])
    const document = await makeDocument('b.md', 'Elephants are large.')
    const other = {
      ...embedder,
      id: 'other/1',
      dimensions: 3,
      embedQuery: async () => Int8Array.of(127, 0, 0),
    }
    await writer.replaceDocuments(other, [{ ...document, vectors: [Int8Array.of(127, 0, 0)] }])
    expect((await reader.search('elephants', other, ALL, 5)).map(({ path }) => path)).toEqual(['b.md'])
    expect((await openChromaStore({ url: server.url, space })).embedder_id).toBe('other/1')
    await reader.close()
    await writer.close()
  })

  it('finds one file by its path and deep folders by theirs, and many words at once', async () => {
    const store = await openChromaStore({ url: server.url, space: newSpace() })
    const deep = `${Array.from({ length: 30 }, (_, at) => `f${at}`).join('/')}/`
    const paths = [`${deep}a.md`, `${deep}b.md`, 'a.md', 'a.md/c.md', 'empty.md']
    const texts = paths.map((path) => makeDocument(path, path === 'empty.md' ? '' : 'Elephants are grey.'))
    await store.replaceDocuments(embedder, await Promise.all(texts))
    const find = async (prefix: string, query = 'grey elephants') =>
      (await store.search(query, embedder, { prefixes: [prefix] }, 9)).map(({ path }) => path).toSorted()
    expect(await find(deep)).toEqual([`${deep}a.md`, `${deep}b.md`])
    expect(await find('a.md')).toEqual(['a.md'])
    expect(await find(`${deep}x/`)).toEqual([])
    const many = Array.from({ length: 60 }, (_, at) => `w${'abcdefghij'[at % 10]}${'klmnop'[at % 6]}`).join(
      ' ',
    )
    expect(await find('a.md', `elephants ${many}`)).toEqual(['a.md'])
    expect((await store.listDocuments()).size).toBe(5)
    await store.close()
  })
})

it('counts a document as in only once all of it is', async () => {
  await using double = await startChromaDouble()
  const space = newSpace()
  const store = await openChromaStore({ url: double.url, space })
  const before = await makeDocument('a.md', 'Elephants are grey.')
  await store.replaceDocuments(embedder, [before])
  const half = await makeDocument('a.md', 'Zebras have stripes.')
  const broken = { ...half, vectors: [Int8Array.of(1, 2, 3)] }
  await expect(store.replaceDocuments(embedder, [broken])).rejects.toThrow(BackendUnavailable)
  expect((await store.listDocuments()).has('a.md')).toBe(false)
  await store.replaceDocuments(embedder, [half])
  expect((await store.listDocuments()).get('a.md')).toBe(half.sha256)
})

it('tells of a server that is not there, says no, or is something else', async () => {
  await using gone = await startChromaDouble()
  await gone[Symbol.asyncDispose]()
  await using other = await startLoopbackServer((_asked, response) => answerJson(response, 200, ['hello']))
  await using closed = await startLoopbackServer((_asked, response) =>
    answerJson(response, 403, { error: 'no' }),
  )
  for (const [{ url }, words] of [
    [gone, /cannot be reached/],
    [other, /a form that is not known/],
    [closed, /status 403: no/],
  ] as const) {
    const opening = openChromaStore({ url, space: newSpace() })
    await expect(opening).rejects.toThrow(BackendUnavailable)
    await expect(opening).rejects.toThrow(words)
    await expect(opening).rejects.toThrow(/knowledge\.store\.url/)
  }
})

verifies('TOOL-109', 'a Chroma on another machine is refused, by the name of the setting', async () => {
  for (const url of ['http://chroma.example.test:8000', 'http://10.0.0.1:8000', 'https://localhost:8000']) {
    const opening = openChromaStore({ url, space: newSpace() })
    await expect(opening).rejects.toThrow(LoopbackRefused)
    await expect(opening).rejects.toThrow(/knowledge\.store\.url/)
  }
})
