import fc from 'fast-check'
import { expect, it } from 'vitest'
import { packCounts, readTerms } from './chunk-terms.ts'
import { type ChunksRow, isSoundChunks, readChunk } from './chunks-row.ts'
import { gatherChunks } from './cut-document.ts'
import { sharedDigester } from './document-digester.ts'
import { openRows, packRows } from './document-rows.ts'
import { type Chunk, KNOWLEDGE_KINDS } from './knowledge.ts'

const PATH = 'src/parse-header.ts'
const anyChunk: fc.Arbitrary<Chunk> = fc.record({
  kind: fc.constantFrom(...KNOWLEDGE_KINDS),
  name: fc.string({ unit: 'grapheme', maxLength: 12 }),
  start_line: fc.integer({ min: 1, max: 1_000 }),
  end_line: fc.integer({ min: 1_000, max: 2_000_000 }),
  text: fc.string({ unit: 'grapheme', maxLength: 60 }),
})

function pack(chunks: readonly Chunk[]): ChunksRow {
  const cut = gatherChunks(PATH, chunks)
  const { words } = sharedDigester().digest(cut, { words: true, vectors: false })
  return openRows(packRows(cut, new Int8Array(chunks.length * 2), words))
}

it('gives back each chunk as it was, with its counts', () => {
  fc.assert(
    fc.property(fc.array(anyChunk, { maxLength: 6 }), (chunks) => {
      const row = pack(chunks)
      const counts = readTerms(PATH, chunks).map(packCounts)
      expect(isSoundChunks({ ...row }, chunks.length)).toBe(true)
      expect(isSoundChunks({ ...row }, chunks.length + 1)).toBe(false)
      for (const [at, chunk] of chunks.entries())
        expect(readChunk(row, at)).toEqual({ ...chunk, counts: counts[at] })
      expect(readChunk(row, chunks.length)).toBeUndefined()
      expect(readChunk(row, -1)).toBeUndefined()
    }),
  )
})

const chunk: Chunk = { kind: 'doc', name: 'A name', start_line: 3, end_line: 5, text: 'Some words.' }
const [COUNT, NUMBERS] = [2, 12]

it.each([
  ...Array.from({ length: NUMBERS }, (_, at): [string, (view: DataView) => void] => [
    `number ${at} below all`,
    (view) => view.setInt32(at * 4, -4, true),
  ]),
  ...Array.from({ length: NUMBERS }, (_, at): [string, (view: DataView) => void] => [
    `number ${at} above all, or a line before its first`,
    (view) => view.setInt32(at * 4, at % 6 === 2 ? 2 : 2 ** 30, true),
  ]),
  ['counts that are cut', (view: DataView) => view.setInt32(16, view.getInt32(16, true) + 1, true)],
])('takes %s for no chunks', (_, change) => {
  const row = pack([chunk, chunk])
  expect(isSoundChunks({ ...row }, COUNT)).toBe(true)
  change(new DataView(row.places.buffer, row.places.byteOffset, row.places.byteLength))
  expect(isSoundChunks({ ...row }, COUNT)).toBe(false)
})

it('takes what is no bytes, or has others than it says, for no chunks', () => {
  const row = pack([chunk, chunk])
  for (const part of ['places', 'names', 'counts', 'texts'] as const) {
    expect(isSoundChunks({ ...row, [part]: 'text' }, COUNT), part).toBe(false)
    expect(isSoundChunks({ ...row, [part]: row[part].subarray(4) }, COUNT), part).toBe(false)
    expect(isSoundChunks({ ...row, [part]: new Uint8Array(row[part].length + 4) }, COUNT), part).toBe(false)
  }
})
