import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_FOLDER } from '../basics/package-folder.ts'
import { leadOf, splitName } from './chunk-terms.ts'
import { type CutDocument, gatherChunks } from './cut-document.ts'
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
/** What the program takes for the path, and for each chunk. */
const PATH_PARTS = 2
const PARTS_A_CHUNK = 8
/** What the program has to hold for each chunk beside its texts. */
const CHUNK_WEIGHT = 32
/** Of a document that most are lighter than; for a heavier one the program is started anew. */
const FIRST_WEIGHT = 2 ** 16

/** Makes of documents what they are found by: words with their counts, and vectors. */
export interface DocumentDigester {
  readonly dimensions: number
  /** The words of a document's chunks as a full text takes them. */
  renderWords(document: CutDocument): DocumentWords
  /** The vectors of a document's chunks, one after the other. */
  embed(document: CutDocument): Int8Array
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
  let last: { document: CutDocument; program: DigestProgram } | undefined
  const programFor = (weight: number): DigestProgram => {
    if (program && weight <= room) return program
    room = Math.max(FIRST_WEIGHT, room * 2, weight)
    program = startDigestProgram(table, room)
    return program
  }
  // Words and vectors are made of the same terms: what was read last is not read again.
  const read = (document: CutDocument): DigestProgram => {
    if (last?.document !== document) last = { document, program: readDocument(programFor, document) }
    return last.program
  }
  return {
    dimensions,
    renderWords(document) {
      const { run, output, ends } = read(document)
      const { body, name, owner, path } = FIELD_WEIGHTS
      const count = document.cuts.length
      const bytes = run.write_words(count, body, LEAD_WEIGHT, name, owner, path)
      return { bytes: output(bytes).slice(), ends: ends(1 + count * ENDS_A_CHUNK).slice() }
    },
    embed(document) {
      const { run, output } = read(document)
      const { name, owner } = BOOSTS
      const count = document.cuts.length
      run.write_vectors(count, CHUNK_WORD_LIMIT, NAME_WORD_LIMIT, LEAD_WEIGHT, name, owner)
      return takeVectors(output(count * ROW_NUMBERS), count, dimensions)
    },
    embedQuery(query) {
      const chunk: Chunk = { kind: 'code', name: '', start_line: 1, end_line: 1, text: query }
      const { run, output } = read(gatherChunks('', [chunk]))
      run.write_vectors(1, QUERY_WORD_LIMIT, 0, 0, 0, 0)
      return takeVectors(output(ROW_NUMBERS), 1, dimensions)
    },
  }
}

/** Hands a document's bytes over, with its names behind them, and what is to be known of each chunk. */
function readDocument(
  programFor: (weight: number) => DigestProgram,
  { path, bytes, cuts }: CutDocument,
): DigestProgram {
  const names = [path, ...cuts.flatMap(splitName)]
  const behind = Buffer.from(names.join(''))
  const weight = bytes.length + behind.length + cuts.length * (Buffer.byteLength(path) + CHUNK_WEIGHT)
  const program = programFor(weight)
  program.writeSource(bytes, behind)
  const parts = program.parts(PATH_PARTS + cuts.length * PARTS_A_CHUNK)
  const are_plain = behind.length === names.reduce((sum, name) => sum + name.length, 0)
  let [at, end] = [0, bytes.length]
  const putName = (name: string) => {
    parts[at++] = end
    parts[at++] = end += are_plain ? name.length : Buffer.byteLength(name)
  }
  putName(path)
  for (const [index, cut] of cuts.entries()) {
    parts[at++] = cut.from
    parts[at++] = cut.to
    putName(names[index * 2 + 1] as string)
    putName(names[index * 2 + 2] as string)
    parts[at++] = leadOf(cut)
    parts[at++] = cut.name === '' ? BOOSTS.path_of_nameless : BOOSTS.path
  }
  program.run.read_document(cuts.length)
  return program
}

/** Without the zeros behind the numbers of a table that has fewer. */
function takeVectors(rows: Uint8Array<ArrayBuffer>, count: number, dimensions: number): Int8Array {
  if (dimensions === ROW_NUMBERS) return new Int8Array(rows.slice().buffer)
  const vectors = new Uint8Array(count * dimensions)
  for (let at = 0; at < count; at++)
    vectors.set(rows.subarray(at * ROW_NUMBERS, at * ROW_NUMBERS + dimensions), at * dimensions)
  return new Int8Array(vectors.buffer)
}
