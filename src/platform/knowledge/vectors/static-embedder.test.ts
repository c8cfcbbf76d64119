import { describe, expect, it } from 'vitest'
import type { Chunk } from '../knowledge.ts'
import { makeStaticEmbedder, openStaticEmbedder } from './static-embedder.ts'
import { wordVector } from './word-vectors.fixture.ts'
import { openWordVectors, parseVectorTable } from './word-vectors.ts'

const BUCKETS = 3
const DIMENSIONS = 2

/** A table with the words `ab` and `cd`, whose rows are (1, 0) and (0, 2), and buckets (1, 1), (2, 0), (0, 4). */
function smallTable(): Uint8Array {
  const list = Buffer.from('ab\ncd')
  const head = Buffer.alloc(24)
  head.write('EMBVEC01', 'latin1')
  for (const [at, value] of [2, BUCKETS, DIMENSIONS, list.length].entries())
    head.writeUInt32LE(value, 8 + 4 * at)
  const scales = Buffer.alloc(4 * 5)
  for (const [at, scale] of [0.5, 1, 1, 0.5, 2].entries()) scales.writeFloatLE(scale, 4 * at)
  const rows = Buffer.from([2, 0, 0, 2, 1, 1, 4, 0, 0, 2])
  return Buffer.concat([head, list, Buffer.alloc(3), scales, rows])
}

const chunk = (name: string, text: string): Chunk => ({
  kind: 'code',
  name,
  start_line: 1,
  end_line: 1,
  text,
})
const cosine = (a: Int8Array, b: Int8Array) =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0) / 127 ** 2

describe('the vector of a word', () => {
  const table = parseVectorTable(smallTable())

  // The pieces of <ab> are <ab, ab> and <ab>; FNV-1a puts them into buckets 0, 2 and 0.
  it('is its row and, by half, the rows of its pieces', () => {
    const factor = Math.sqrt(0.5 / Math.sqrt(3))
    expect([...wordVector(table, 'ab')]).toEqual(
      [1 + factor * 2, factor * 6].map((value) => expect.closeTo(value, 6)),
    )
  })

  it('is that of its pieces where it is not listed', () => {
    const vector = wordVector(table, 'xyz')
    expect(vector.some((value) => value !== 0)).toBe(true)
  })
})

describe('a table', () => {
  it.each([
    ['of another kind', (bytes: Uint8Array) => bytes.with(0, 65)],
    ['cut short', (bytes: Uint8Array) => bytes.subarray(0, -1)],
    ['with other words than it counts', (bytes: Uint8Array) => bytes.with(26, 65)],
    ['of nothing', () => new Uint8Array(0)],
  ])('%s is refused', (_, change) => {
    expect(() => parseVectorTable(change(smallTable()))).toThrow('vector table')
  })
})

describe('the embedder', () => {
  const word_vectors = openWordVectors(parseVectorTable(smallTable()))
  const embedder = makeStaticEmbedder(() => word_vectors)

  it('makes vectors of length 127, and none of a text without words', async () => {
    const [some, none] = await embedder.embedChunks('', [chunk('', 'ab'), chunk('', '1 + 2')])
    expect(Math.hypot(...(some ?? []))).toBeCloseTo(127, 0)
    expect([...(none ?? [])]).toEqual([0, 0])
  })

  it('adds words up by the root of how often they count', async () => {
    const table = parseVectorTable(smallTable())
    const [ab, cd] = ['ab', 'cd'].map((word) => wordVector(table, word)) as [Float32Array, Float32Array]
    const [vector] = await embedder.embedChunks('', [chunk('cd', 'ab ab ab ab cd cd cd')])
    const sum = [0, 1].map((at) => 2 * (ab[at] ?? 0) + 3 * (cd[at] ?? 0))
    const length = Math.hypot(...sum)
    expect([...(vector ?? [])]).toEqual(sum.map((value) => Math.round((value / length) * 127)))
  })

  it('counts the first words of prose more, and those of code not', async () => {
    const text = `ab ${'cd '.repeat(30)}`
    const turned = `${'cd '.repeat(30)} ab`
    for (const kind of ['code', 'doc'] as const) {
      const both = await embedder.embedChunks('', [
        { ...chunk('', text), kind },
        { ...chunk('', turned), kind },
      ])
      const [first, last] = both.map((vector) => cosine(vector, both[0] as Int8Array))
      if (kind === 'code') expect(last).toBe(first)
      else expect(last).toBeLessThan(first as number)
    }
  })

  it('of the program puts a sentence nearer to what it describes', async () => {
    const { dimensions, embedChunks, embedQuery } = openStaticEmbedder()
    const [retry, parse] = await embedChunks('src/a.ts', [
      chunk('retryLater', 'function retryLater(ms) { return sleep(ms).then(() => attempt()) }'),
      chunk('parseHeader', 'function parseHeader(line) { return line.split(":") }'),
    ])
    const query = await embedQuery('try again after a delay')
    expect(query.length).toBe(dimensions)
    expect(cosine(query, retry as Int8Array)).toBeGreaterThan(cosine(query, parse as Int8Array) + 0.1)
  })
})
