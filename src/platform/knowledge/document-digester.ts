import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_FOLDER } from '../basics/package-folder.ts'
import { leadOf, splitName } from './chunk-terms.ts'
import { type Cut, type CutDocument, gatherChunks } from './cut-document.ts'
import { type DigestProgram, ROW_NUMBERS, startDigestProgram } from './digest-program.ts'
import type { Chunk, DocumentWords } from './knowledge.ts'
import { FIELD_WEIGHTS, LEAD_WEIGHT } from './ranking-weights.ts'
import { parseVectorTable, type VectorTable } from './vector-table.ts'

const TABLE_FILE = join(PACKAGE_FOLDER, 'vectors', 'codevec-128.bin')
/** Numbers for each chunk in `ends`: its text, name and owner end there, its counts, and how many terms its text has. */
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
  /** What is wanted of a document, to be copied before the digester is asked anything else. */
  digest(document: CutDocument, wanted: Wanted): Digest
  embedQuery(query: string): Int8Array
}

/** What is wanted of a document's chunks: words as a full text takes them, and vectors, one after the other. */
export interface Wanted {
  readonly words: boolean
  readonly vectors: boolean
}

export interface Digest {
  readonly words: DocumentWords | undefined
  readonly vectors: Int8Array | undefined
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
  const programFor = (weight: number): DigestProgram => {
    if (program && weight <= room) return program
    room = Math.max(FIRST_WEIGHT, room * 2, weight)
    program = startDigestProgram(table, room)
    return program
  }
  return {
    dimensions,
    digest(document, wanted) {
      const running = readDocument(programFor, document)
      const count = document.cuts.length
      // New words take more memory for their vectors: only after that does everything stay where it is.
      if (wanted.vectors) writeVectors(running, count)
      return {
        words: wanted.words ? renderWords(running, count) : undefined,
        vectors: wanted.vectors ? narrow(running.vectors(count * ROW_NUMBERS), count, dimensions) : undefined,
      }
    },
    embedQuery(query) {
      const chunk: Chunk = { kind: 'code', name: '', start_line: 1, end_line: 1, text: query }
      const { run, vectors } = readDocument(programFor, gatherChunks('', [chunk]))
      run.write_vectors(1, QUERY_WORD_LIMIT, 0, 0, 0, 0)
      return vectors(dimensions).slice()
    },
  }
}

function writeVectors({ run }: DigestProgram, count: number): void {
  const { name, owner } = BOOSTS
  run.write_vectors(count, CHUNK_WORD_LIMIT, NAME_WORD_LIMIT, LEAD_WEIGHT, name, owner)
}

function renderWords({ run, output, counts, ends: endsOf }: DigestProgram, count: number): DocumentWords {
  const { body, name, owner, path } = FIELD_WEIGHTS
  const bytes = run.write_words(count, body, LEAD_WEIGHT, name, owner, path)
  const ends = endsOf(1 + count * ENDS_A_CHUNK)
  const counted = count === 0 ? 0 : (ends[count * ENDS_A_CHUNK - 1] as number)
  return { bytes: output(bytes), ends, counts: counts(counted) }
}

/** Hands a document's bytes over, with its names behind them, and what is to be known of each chunk. */
function readDocument(
  programFor: (weight: number) => DigestProgram,
  { path, bytes, cuts }: CutDocument,
): DigestProgram {
  const names = listNames(path, cuts)
  const behind = Buffer.from(names.join(''))
  const path_bytes = Buffer.byteLength(path)
  const program = programFor(bytes.length + behind.length + cuts.length * (path_bytes + CHUNK_WEIGHT))
  program.writeSource(bytes, behind)
  const parts = program.parts(PATH_PARTS + cuts.length * PARTS_A_CHUNK)
  let end = bytes.length
  const putName = (name: number, at: number) => {
    parts[at] = end
    parts[at + 1] = end += Buffer.byteLength(names[name] as string)
  }
  putName(0, 0)
  for (let chunk = 0; chunk < cuts.length; chunk++) {
    const cut = cuts[chunk] as Cut
    const at = PATH_PARTS + chunk * PARTS_A_CHUNK
    parts[at] = cut.from
    parts[at + 1] = cut.to
    putName(chunk * 2 + 1, at + 2)
    putName(chunk * 2 + 2, at + 4)
    parts[at + 6] = leadOf(cut)
    parts[at + 7] = cut.name === '' ? BOOSTS.path_of_nameless : BOOSTS.path
  }
  program.run.read_document(cuts.length)
  return program
}

/** The path, then the name of each chunk and what leads to it. */
function listNames(path: string, cuts: readonly Cut[]): string[] {
  const names = [path]
  for (const cut of cuts) {
    const [name, owner] = splitName(cut)
    names.push(name, owner)
  }
  return names
}

/** Without the zeros behind the numbers of a table that has fewer. */
function narrow(rows: Int8Array, count: number, dimensions: number): Int8Array {
  if (dimensions === ROW_NUMBERS) return rows
  const vectors = new Int8Array(count * dimensions)
  for (let at = 0; at < count; at++)
    vectors.set(rows.subarray(at * ROW_NUMBERS, at * ROW_NUMBERS + dimensions), at * dimensions)
  return vectors
}
