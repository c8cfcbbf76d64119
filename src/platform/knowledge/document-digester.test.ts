import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { packCounts, readTerms, renderStems } from './chunk-terms.ts'
import { gatherChunks } from './cut-document.ts'
import { chunkVectors } from './digest-reference.fixture.ts'
import { type DocumentDigester, ENDS_A_CHUNK, openDigester, sharedDigester } from './document-digester.ts'
import type { Chunk, DocumentWords } from './knowledge.ts'
import { parseVectorTable } from './vector-table.ts'

const table = parseVectorTable(readFileSync(new URL('../../../vectors/codevec-128.bin', import.meta.url)))

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

function embedAll(digester: DocumentDigester, path: string, chunks: readonly Chunk[]): Int8Array[] {
  const { vectors } = digester.digest(gatherChunks(path, chunks), { words: false, vectors: true })
  return chunks.map((_, at) => (vectors as Int8Array).slice(at * 128, (at + 1) * 128))
}

/** What the words of a document should be, by the plain way that other stores go. */
function expectWords(path: string, chunks: readonly Chunk[], digester = sharedDigester()): void {
  const { words } = digester.digest(gatherChunks(path, chunks), { words: true, vectors: true })
  const { bytes, ends, counts } = words as DocumentWords
  let [from, counted] = [0, 0]
  const take = (end: number) => Buffer.from(bytes.subarray(from, (from = ends[end] as number)))
  const texts = readTerms(path, chunks)
  const in_path = take(0).toString()
  for (const [at, terms] of texts.entries()) {
    const parts = 1 + at * ENDS_A_CHUNK
    for (const [part, field] of (['body', 'name', 'owner'] as const).entries())
      expect(take(parts + part).toString()).toBe(Buffer.from(renderStems(terms[field])).toString())
    const own = counts.subarray(counted, (counted = ends[parts + 3] as number))
    expect(Buffer.from(own)).toEqual(Buffer.from(packCounts(terms)))
    expect(ends[parts + 4]).toBe(terms.body.length)
    expect(in_path).toBe(Buffer.from(renderStems(terms.path)).toString())
  }
  expect([from, counted]).toEqual([bytes.length, counts.length])
}

it('makes the same words and counts of any document as one chunk at a time', () => {
  fc.assert(
    fc.property(anyText, fc.array(anyChunk, { maxLength: 4 }), (path, chunks) => expectWords(path, chunks)),
  )
})

it('makes the same vectors of any document as the plain way', () => {
  fc.assert(
    fc.property(anyText, fc.array(anyChunk, { maxLength: 4 }), (path, chunks) => {
      expect(embedAll(sharedDigester(), path, chunks)).toEqual(chunkVectors(table, path, chunks))
    }),
  )
})

it('makes the vector of a question as that of a text without a path, of its first words', () => {
  fc.assert(
    fc.property(anyText, (query) => {
      const [vector] = chunkVectors(table, '', [chunkOf(query)])
      if ((query.match(/[a-z]{2,}/gi) ?? []).length <= 40)
        expect(sharedDigester().embedQuery(query)).toEqual(vector)
    }),
  )
  const words = table.words.slice(0, 61)
  const embed = (count: number) => sharedDigester().embedQuery(words.slice(0, count).join(' '))
  expect(embed(61)).toEqual(embed(60))
  expect(embed(60)).not.toEqual(embed(59))
})

it('knows all words of the table and their forms', () => {
  const forms = table.words.flatMap((word) => [word, `${word}s`, `${word}ed`, `${word}ing`, `${word}ational`])
  const chunks = Array.from({ length: 30 }, (_, at) =>
    chunkOf(forms.slice(at * 2_500, (at + 1) * 2_500).join(' ')),
  )
  expectWords('', chunks, openDigester(table))
})

/** Another word for every number. */
function wordOf(number: number): string {
  return `q${number.toString(26).replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)))}`
}

function many(from: number, count: number): string {
  return Array.from({ length: count }, (_, at) => wordOf(from + at)).join(' ')
}

it('forgets what is too much, and is right after that', () => {
  const digester = openDigester(table)
  const check = (text: string) => {
    const chunks = [chunkOf(text)]
    expectWords('src/a.ts', chunks, digester)
    expect(embedAll(digester, 'src/a.ts', chunks)).toEqual(chunkVectors(table, 'src/a.ts', chunks))
  }
  // No document is so heavy that the program is started anew, which forgets everything as well.
  const listed = table.words.slice(0, 200).join(' ')
  check(`${many(1_000_000, 100)} ${listed}`)
  for (let from = 0; from < 90_000; from += 5_000)
    digester.digest(gatherChunks('', [chunkOf(many(from, 5_000))]), { words: true, vectors: false })
  check(`${many(2_000_000, 150)} ${listed}`)
})

it('takes a document of any size', () => {
  const chunks = Array.from({ length: 60 }, (_, at) => chunkOf(`Ab1_${at} é`.repeat(1_500)))
  expectWords('a/path/of/some/length.ts', chunks, openDigester(table))
})

it('reads no more terms of a text than others do', () => {
  expectWords('', [chunkOf('a1 '.repeat(15_000)), chunkOf('after')])
})
