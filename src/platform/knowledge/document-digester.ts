import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_FOLDER } from '../basics/package-folder.ts'
import { leadOf, splitName } from './chunk-terms.ts'
import { type DigestProgram, ROW_NUMBERS, startDigestProgram } from './digest-program.ts'
import type { Chunk, DocumentWords } from './knowledge.ts'
import { FIELD_WEIGHTS, LEAD_WEIGHT } from './ranking-weights.ts'
import { parseVectorTable, type VectorTable } from './vector-table.ts'

const TABLE_FILE = join(PACKAGE_FOLDER, 'vectors', 'codevec-128.bin')
/** Numbers for each chunk in `ends`: text, name, owner and counts end there; and how many terms its text has. */
export const ENDS_A_CHUNK = 5
/** Later words of a text add little. */
const CHUNK_WORD_LIMIT = 400
const NAME_WORD_LIMIT = 60
const QUERY_WORD_LIMIT = 60
/** So often more does a word count that names the chunk, what leads to it, or its file. */
const BOOSTS = { name: 6, owner: 2, path: 1, path_of_nameless: 2 } as const
/** What the program has to hold for each chunk beside its texts. */
const CHUNK_WEIGHT = 32
/** Of a document that most are lighter than; for a heavier one the program is started anew. */
const FIRST_WEIGHT = 2 ** 16

/** Makes of documents what they are found by: words with their counts, and vectors. */
export interface DocumentDigester {
  readonly dimensions: number
  /** The words of a document's chunks as a full text takes them. */
  renderWords(path: string, chunks: readonly Chunk[]): DocumentWords
  /** One vector for each chunk. */
  embedChunks(path: string, chunks: readonly Chunk[]): Int8Array[]
  embedQuery(query: string): Int8Array
}

let shared: DocumentDigester | undefined

/** The digester over the table that comes with the program. Opened once a thread. */
export function sharedDigester(): DocumentDigester {
  shared ??= openDigester(parseVectorTable(readFileSync(TABLE_FILE)))
  return shared
}

/** Opens a digester over a table; its program is started when it is first needed. */
export function openDigester(table: VectorTable): DocumentDigester {
  const { dimensions } = table
  let room = 0
  let program: DigestProgram | undefined
  let last: { path: string; chunks: readonly Chunk[]; program: DigestProgram } | undefined
  const programFor = (weight: number): DigestProgram => {
    if (program && weight <= room) return program
    room = Math.max(FIRST_WEIGHT, room * 2, weight)
    program = startDigestProgram(table, room)
    return program
  }
  // Words and vectors are made of the same terms: what was read last is not read again.
  const read = (path: string, chunks: readonly Chunk[]): DigestProgram => {
    if (last?.chunks === chunks && last.path === path) return last.program
    last = { path, chunks, program: readDocument(programFor, path, chunks) }
    return last.program
  }
  return {
    dimensions,
    renderWords(path, chunks) {
      const { run, output, ends } = read(path, chunks)
      const { body, name, owner, path: in_path } = FIELD_WEIGHTS
      const bytes = run.write_words(chunks.length, body, LEAD_WEIGHT, name, owner, in_path)
      return { bytes: output(bytes).slice(), ends: ends(1 + chunks.length * ENDS_A_CHUNK).slice() }
    },
    embedChunks(path, chunks) {
      const { run, output } = read(path, chunks)
      const { name, owner } = BOOSTS
      run.write_vectors(chunks.length, CHUNK_WORD_LIMIT, NAME_WORD_LIMIT, LEAD_WEIGHT, name, owner)
      return takeVectors(output(chunks.length * ROW_NUMBERS), chunks.length, dimensions)
    },
    embedQuery(query) {
      const chunk: Chunk = { kind: 'code', name: '', start_line: 1, end_line: 1, text: query }
      const { run, output } = read('', [chunk])
      run.write_vectors(1, QUERY_WORD_LIMIT, 0, 0, 0, 0)
      return takeVectors(output(ROW_NUMBERS), 1, dimensions)[0] as Int8Array
    },
  }
}

/** Hands a document's texts over, and what is to be known of each chunk. */
function readDocument(
  programFor: (weight: number) => DigestProgram,
  path: string,
  chunks: readonly Chunk[],
): DigestProgram {
  const texts = [path]
  for (const chunk of chunks) texts.push(chunk.text, ...splitName(chunk))
  const all = `${texts.join(' ')} `
  const program = programFor(all.length + chunks.length * (path.length + CHUNK_WEIGHT))
  program.writeInput(all)
  const parts = program.parts(1 + chunks.length * ENDS_A_CHUNK)
  let [at, end] = [0, path.length]
  parts[at++] = end
  for (const [index, chunk] of chunks.entries()) {
    for (let text = 1; text <= 3; text++) parts[at++] = end += 1 + (texts[index * 3 + text] as string).length
    parts[at++] = leadOf(chunk)
    parts[at++] = chunk.name === '' ? BOOSTS.path_of_nameless : BOOSTS.path
  }
  program.run.read_document(chunks.length)
  return program
}

/** One block for all: many small ones take longer to get and to give back. */
function takeVectors(bytes: Uint8Array<ArrayBuffer>, count: number, dimensions: number): Int8Array[] {
  const block = new Int8Array(bytes.slice().buffer)
  return Array.from({ length: count }, (_, at) =>
    block.subarray(at * ROW_NUMBERS, at * ROW_NUMBERS + dimensions),
  )
}
