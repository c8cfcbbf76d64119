import { expect, it } from 'vitest'
import { gatherChunks } from './cut-document.ts'
import { joinVectors, openRows, packRows } from './document-rows.ts'
import { type Chunk, KNOWLEDGE_KINDS } from './knowledge.ts'
import { isSoundVectors, packAbout, readVectors } from './vectors-row.ts'

const chunks = KNOWLEDGE_KINDS.map(
  (kind): Chunk => ({ kind, name: '', start_line: 1, end_line: 1, text: '' }),
)
const vectors = chunks.map((_, at) => Int8Array.from([at, 1 - at]))

it('gives back each chunk with its vector', () => {
  const rows = openRows(packRows(gatherChunks('a.ts', chunks), joinVectors(vectors), undefined))
  const about = packAbout(rows, (chunk) => chunk * 5_000)
  const row = { first_chunk: 7, document_id: 3, about, vectors: new Uint8Array(rows.vectors) }
  const read: unknown[] = []
  readVectors(row, (chunk, vector) => read.push({ ...chunk, vector: [...new Int8Array(vector)] }))
  expect(read).toEqual(
    chunks.map((_, at) => ({
      chunk_id: 7 + at,
      document_id: 3,
      kind: at,
      length: at * 5_000,
      vector: [at, 1 - at],
    })),
  )
  expect(isSoundVectors(row)).toBe(true)
})

it.each([
  ['texts', 'text', new Uint8Array(8)],
  ['no vectors', new Uint8Array(4), new Uint8Array(0)],
  ['nothing', new Uint8Array(0), new Uint8Array(0)],
  ['half a chunk', new Uint8Array(6), new Uint8Array(12)],
  ['unequal vectors', new Uint8Array(8), new Uint8Array(5)],
  ['too long a vector', new Uint8Array(4), new Uint8Array(8_193)],
])('takes %s for no vectors', (_, about, all) => {
  expect(isSoundVectors({ about, vectors: all })).toBe(false)
})
