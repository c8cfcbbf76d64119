import { expect, test } from 'vitest'
import type { Reader, Statement } from '../../storage/database.ts'
import { VECTOR_LENGTH } from '../vectors/vector-scan.ts'
import { holdVectors } from './postgres-vectors.ts'

const VECTOR = new Int8Array(VECTOR_LENGTH).fill(3)
const EVERYWHERE = { prefixes: [''] }

/** A space of documents with one chunk each, and how often its chunks were counted. */
function space() {
  const documents = new Map<string, string>()
  const state = { revision: 1, chunks: undefined as number | undefined, counted: 0 }
  const vector = Buffer.from(VECTOR.buffer).toString('base64')
  const db = {
    async get({ text }: Statement<unknown>) {
      if (text.includes('knowledge_spaces')) return { embedder: 'e', revision: state.revision }
      state.counted++
      return { chunks: state.chunks ?? documents.size }
    },
    async all({ text }: Statement<unknown>, _space: string, paths = '[]') {
      if (text.includes('knowledge_documents'))
        return [...documents].map(([path, sha256]) => ({ path, sha256 }))
      return (JSON.parse(paths) as string[]).map((path) => ({ path, place: 0, kind: 'doc', vector }))
    },
  } as unknown as Reader
  return { documents, state, find: holdVectors(db, 'here') }
}

test('a document that went and came back is found once', async () => {
  const { documents, state, find } = space()
  const pathsAt = async (revision: number) => {
    state.revision = revision
    return (await find(VECTOR, EVERYWHERE, 10)).map(({ path }) => path).toSorted()
  }
  for (const path of ['a', 'b', 'c', 'd']) documents.set(path, 'same')
  expect(await pathsAt(1)).toEqual(['a', 'b', 'c', 'd'])
  documents.delete('b')
  expect(await pathsAt(2)).toEqual(['a', 'c', 'd'])
  documents.set('b', 'same')
  expect(await pathsAt(3)).toEqual(['a', 'b', 'c', 'd'])
})

test('chunks that are too many to be held are counted once for each revision, and held when they are fewer', async () => {
  const { documents, state, find } = space()
  documents.set('a', 'same')
  state.chunks = 250_001
  for (const _ of ['first', 'second']) expect(await find(VECTOR, EVERYWHERE, 10)).toEqual([])
  expect(state.counted).toBe(1)
  Object.assign(state, { chunks: 1, revision: 2 })
  expect(await find(VECTOR, EVERYWHERE, 10)).toHaveLength(1)
})
