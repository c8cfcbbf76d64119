import fc from 'fast-check'
import { expect, it } from 'vitest'
import { gatherChunks } from './cut-document.ts'
import { chunksOf, joinVectors, openRows, packRows, vectorsOf } from './document-rows.ts'
import { type Chunk, KNOWLEDGE_KINDS } from './knowledge.ts'

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
})

it('gives back what was put into a block', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(chunk, vector), { maxLength: 5 }), fc.option(words), (all, some) => {
      const chunks = all.map(([one]) => one)
      const vectors = all.map(([, one]) => one)
      const given = some && {
        bytes: Uint8Array.from(some.bytes),
        ends: Int32Array.from([7, ...chunks.flatMap(() => some.chunk_ends)]),
      }
      const rows = openRows(
        structuredClone(packRows(gatherChunks('a.ts', chunks), joinVectors(vectors), given ?? undefined)),
      )
      expect(chunksOf(rows)).toEqual(chunks)
      expect(vectorsOf(rows)).toEqual(vectors.map((one) => Int8Array.from(one)))
      expect(rows.has_words).toBe(given !== null)
      expect([...rows.words]).toEqual([...(given?.bytes ?? [])])
      expect([...rows.ends]).toEqual([...(given?.ends ?? [])])
    }),
  )
})
