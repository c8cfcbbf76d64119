import fc from 'fast-check'
import { expect, it } from 'vitest'
import { gatherChunks } from './cut-document.ts'
import { chunksOf, joinVectors, openRows, packRows, shareBlocks, vectorsOf } from './document-rows.ts'
import { type Chunk, type DocumentRows, type DocumentWords, KNOWLEDGE_KINDS } from './knowledge.ts'

const line = fc.integer({ min: 1, max: 1_000_000 })
const text = fc.string({ unit: 'grapheme', maxLength: 30 })
const chunk: fc.Arbitrary<Chunk> = fc.record({
  kind: fc.constantFrom(...KNOWLEDGE_KINDS),
  name: text,
  start_line: line,
  end_line: line,
  text,
})
const vector = fc.int8Array({ minLength: 4, maxLength: 4 })
const words = fc.record({
  bytes: fc.uint8Array({ maxLength: 20 }),
  chunk_ends: fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 5, maxLength: 5 }),
  counts: fc.uint8Array({ maxLength: 12 }),
})
const document = fc.record({
  chunks: fc.array(fc.tuple(chunk, vector), { maxLength: 5 }),
  words: fc.option(words),
})

it('gives back what was put into blocks, one that all share or one for each', () => {
  const sizes = fc.option(fc.integer({ min: 0, max: 2_000 }))
  fc.assert(
    fc.property(fc.array(document, { maxLength: 4 }), sizes, (documents, block_bytes) => {
      const takeRoom = block_bytes === null ? undefined : shareBlocks(block_bytes)
      const given = documents.map(({ chunks, words: some }) => ({
        chunks: chunks.map(([one]) => one),
        vectors: chunks.map(([, one]) => Int8Array.from(one)),
        words: some
          ? {
              bytes: Uint8Array.from(some.bytes),
              ends: Int32Array.from([7, ...chunks.flatMap(() => some.chunk_ends)]),
              counts: Uint8Array.from(some.counts),
            }
          : undefined,
      }))
      const packed = given.map((one) =>
        packRows(gatherChunks('a.ts', one.chunks), joinVectors(one.vectors), one.words, takeRoom),
      )
      for (const [at, one] of structuredClone(packed).entries()) expectRows(openRows(one), given[at])
    }),
  )
})

function expectRows(
  rows: DocumentRows,
  given: { chunks: Chunk[]; vectors: Int8Array[]; words: DocumentWords | undefined } | undefined,
): void {
  const { chunks = [], vectors = [], words: some } = given ?? {}
  expect(chunksOf(rows)).toEqual(chunks)
  expect(vectorsOf(rows)).toEqual(vectors)
  expect(rows.has_words).toBe(some !== undefined)
  expect([...rows.words]).toEqual([...(some?.bytes ?? [])])
  expect([...rows.ends]).toEqual([...(some?.ends ?? [])])
  expect([...rows.counts]).toEqual([...(some?.counts ?? [])])
}

it('shares a block while there is room in it', () => {
  const takeRoom = shareBlocks(100)
  const [first, second, third, large] = [30, 60, 20, 300].map(takeRoom)
  expect([first, second, third, large].map((room) => room?.start)).toEqual([0, 32, 0, 0])
  expect(second?.block).toBe(first?.block)
  expect([third, large].map((room) => room?.block.byteLength)).toEqual([100, 300])
})
