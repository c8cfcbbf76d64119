import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Chunk } from '../knowledge.ts'
import { openStaticEmbedder } from './static-embedder.ts'
import { chunkVectors } from './word-vectors.fixture.ts'
import { parseVectorTable } from './word-vectors.ts'

const table = parseVectorTable(readFileSync(new URL('../../../../vectors/codevec-128.bin', import.meta.url)))
const { embedChunks, embedQuery } = openStaticEmbedder()

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.stringMatching(/^[a-dA-D0-9_ éÉİΣ数]{0,120}$/),
  fc.array(fc.constantFrom(...table.words), { maxLength: 40 }).map((words) => words.join(' ')),
  fc.stringMatching(/^[a-zA-Z]{20,80}$/),
)
const anyChunk = fc
  .record({ name: anyText, text: anyText, kind: fc.constantFrom('code', 'doc') })
  .map((one): Chunk => ({ ...one, start_line: 1, end_line: 1 }))

function chunkOf(text: string): Chunk {
  return { kind: 'code', name: '', start_line: 1, end_line: 1, text }
}

it('are those that the definition gives, number by number', async () => {
  await fc.assert(
    fc.asyncProperty(anyText, fc.array(anyChunk, { maxLength: 4 }), async (path, chunks) => {
      expect(await embedChunks(path, chunks)).toEqual(chunkVectors(table, path, chunks))
    }),
  )
})

it('of a question are those of a text without a path, of its first words', async () => {
  await fc.assert(
    fc.asyncProperty(anyText, async (query) => {
      const [vector] = chunkVectors(table, '', [chunkOf(query)])
      if ((query.match(/[a-z]{2,}/gi) ?? []).length <= 40) expect(await embedQuery(query)).toEqual(vector)
    }),
  )
  const words = table.words.slice(0, 61)
  const embed = (count: number) => embedQuery(words.slice(0, count).join(' '))
  expect(await embed(61)).toEqual(await embed(60))
  expect(await embed(60)).not.toEqual(await embed(59))
})

/** Another word for every number. */
function wordOf(number: number): string {
  return `q${number.toString(26).replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)))}`
}

it('are right after more words than are remembered, also for a document that was read before', async () => {
  const before = [chunkOf(`${wordOf(5)} ${table.words.slice(0, 200).join(' ')}`)]
  const expected = chunkVectors(table, 'src/a.ts', before)
  expect(await embedChunks('src/a.ts', before)).toEqual(expected)
  for (let from = 0; from < 90_000; from += 5_000)
    await embedChunks('', [chunkOf(Array.from({ length: 5_000 }, (_, at) => wordOf(from + at)).join(' '))])
  expect(await embedChunks('src/a.ts', before)).toEqual(expected)
  expect(
    await embedChunks(
      'src/a.ts',
      before.map((chunk) => ({ ...chunk })),
    ),
  ).toEqual(expected)
})
