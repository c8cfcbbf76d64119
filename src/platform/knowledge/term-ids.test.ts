import fc from 'fast-check'
import { expect, it } from 'vitest'
import { packCounts, readTerms, renderStems } from './chunk-terms.ts'
import { ENDS_A_CHUNK, renderWords } from './document-words.ts'
import type { Chunk } from './knowledge.ts'
import { splitTerms } from './split-terms.ts'
import { beginTermIds, emptyTermIds, readTermIds, termOf } from './term-ids.ts'

/** More distinct ones than are known at once. */
const MANY = 70_000

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.stringMatching(/^[a-dA-D0-9_ éÉİΣ数]{0,120}$/),
)

function readBack(text: string): string[] {
  const list = emptyTermIds()
  readTermIds(text, list)
  return [...list.items.subarray(0, list.length)].map(termOf)
}

it('gives the terms of any text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(readBack(text)).toEqual(splitTerms(text))
    }),
  )
})

it('forgets what is too much, in a new round', () => {
  const before = beginTermIds()
  const many = Array.from({ length: MANY }, (_, at) => `w${at.toString(36).replace(/\d/g, 'é')}x${at}`)
  expect(readBack(many.join(' '))).toEqual(many.flatMap((word) => splitTerms(word)).slice(0, 20_000))
  for (let at = 0; at < MANY; at += 5_000) readBack(many.slice(at, at + 5_000).join(' '))
  expect(beginTermIds()).toBeGreaterThan(before)
  expect(readBack('parseHTTPHeader')).toEqual(['parse', 'http', 'header'])
})

it('makes the same words and counts of a document as one chunk at a time', () => {
  const chunk = fc
    .record({ name: anyText, text: anyText, kind: fc.constantFrom('code', 'doc') })
    .map((one): Chunk => ({ ...one, start_line: 1, end_line: 1 }))
  fc.assert(
    fc.property(anyText, fc.array(chunk, { maxLength: 4 }), (path, chunks) => {
      const { bytes, ends } = renderWords(path, chunks)
      const texts = readTerms(path, chunks)
      let from = ends[0] as number
      const take = (end: number) => Buffer.from(bytes.subarray(from, (from = ends[end] as number)))
      for (const [at, terms] of texts.entries()) {
        const parts = 1 + at * ENDS_A_CHUNK
        for (const [part, field] of (['body', 'name', 'owner'] as const).entries())
          expect(take(parts + part).toString()).toBe(Buffer.from(renderStems(terms[field])).toString())
        expect(take(parts + 3)).toEqual(Buffer.from(packCounts(terms)))
        expect(ends[parts + 4]).toBe(terms.body.length)
      }
    }),
  )
})
