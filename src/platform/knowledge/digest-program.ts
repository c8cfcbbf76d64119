import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_FOLDER } from '../basics/package-folder.ts'
import { classOf, TERM_LENGTH_LIMIT } from './split-terms.ts'
import type { VectorTable } from './vector-table.ts'

const MODULE_FILE = join(PACKAGE_FOLDER, 'programs', 'digest.wasm')
/** Numbers in a row as the program has it; a table of fewer has zeros behind them. */
export const ROW_NUMBERS = 128

/** What `programs/digest` offers; places are bytes in its memory. */
interface DigestExports {
  readonly memory: WebAssembly.Memory
  open(listed: number, buckets: number, weight: number): void
  list_word(length: number): number
  read_document(chunks: number): void
  add_odd(length: number): void
  write_words(
    chunks: number,
    body_weight: number,
    lead_weight: number,
    name_weight: number,
    owner_weight: number,
    path_weight: number,
  ): number
  write_vectors(
    chunks: number,
    text_limit: number,
    name_limit: number,
    lead_weight: number,
    name_weight: number,
    owner_weight: number,
  ): void
  scales_place(): number
  rows_place(): number
  source_place(): number
  input_place(): number
  parts_place(): number
  scratch_place(): number
  ends_place(): number
  output_place(): number
  shown_place(): number
  tallies_place(): number
}

/** A running program with the places of its memory that texts and numbers are handed over in. */
export interface DigestProgram {
  /** What `read_document` takes: the bytes of a document, with others behind them. */
  writeSource(document: Uint8Array, behind: Uint8Array): void
  /** Where each part of it begins and ends, and what is said of it, as 32-bit numbers. */
  parts(count: number): Int32Array
  readonly run: Pick<DigestExports, 'read_document' | 'write_words' | 'write_vectors'>
  /** The words it has written, to be copied before it is run again. */
  output(bytes: number): Uint8Array<ArrayBuffer>
  /** The counts it has written beside them, and the vectors, likewise. */
  counts(bytes: number): Uint8Array<ArrayBuffer>
  vectors(bytes: number): Int8Array<ArrayBuffer>
  ends(count: number): Int32Array<ArrayBuffer>
}

let compiled: WebAssembly.Module | undefined

/** Starts a program over a table, for documents up to a weight. The program itself is read once a thread. */
export function startDigestProgram(table: VectorTable, weight: number): DigestProgram {
  compiled ??= new WebAssembly.Module(readFileSync(MODULE_FILE))
  let bytes = Buffer.alloc(0)
  // A memory that has grown is another block.
  const memory = () => {
    if (bytes.buffer !== program.memory.buffer) bytes = Buffer.from(program.memory.buffer as ArrayBuffer)
    return bytes
  }
  const writeScratch = (text: string) => memory().write(text, program.scratch_place(), 'utf16le')
  const read_odd = (from: number, to: number, is_upper: number) => {
    const place = program.input_place()
    const written = memory().toString('utf16le', place + from * 2, place + to * 2)
    const term = is_upper ? written.toLowerCase() : written
    for (let at = 0; at < term.length; at += TERM_LENGTH_LIMIT)
      program.add_odd(writeScratch(term.slice(at, at + TERM_LENGTH_LIMIT)) / 2)
  }
  const { exports } = new WebAssembly.Instance(compiled, { env: { classify: classOf, read_odd } })
  const program = exports as unknown as DigestExports
  program.open(table.words.length, table.buckets, weight)
  putTable(program, memory(), table)
  for (const word of table.words) program.list_word(writeScratch(word) / 2)
  const numbers = (place: number, count: number) =>
    new Int32Array(program.memory.buffer as ArrayBuffer, place, count)
  return {
    run: program,
    writeSource(document, behind) {
      memory().set(document, program.source_place())
      memory().set(behind, program.source_place() + document.length)
    },
    parts: (count) => numbers(program.parts_place(), count),
    ends: (count) => numbers(program.ends_place(), count),
    output: (count) => new Uint8Array(program.memory.buffer as ArrayBuffer, program.output_place(), count),
    counts: (count) => new Uint8Array(program.memory.buffer as ArrayBuffer, program.tallies_place(), count),
    vectors: (count) => new Int8Array(program.memory.buffer as ArrayBuffer, program.shown_place(), count),
  }
}

function putTable(program: DigestExports, memory: Buffer, { dimensions, scales, rows }: VectorTable): void {
  new Float32Array(memory.buffer, program.scales_place(), scales.length).set(scales)
  const place = program.rows_place()
  if (dimensions === ROW_NUMBERS) memory.set(rows, place)
  else
    for (let row = 0; row < scales.length; row++)
      memory.set(rows.subarray(row * dimensions, (row + 1) * dimensions), place + row * ROW_NUMBERS)
}
