import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_FOLDER } from '../basics/package-folder.ts'
import { ENDS_A_CHUNK } from './document-digester.ts'
import type { DocumentRows } from './knowledge.ts'

const MODULE_FILE = join(PACKAGE_FOLDER, 'programs', 'postings.wasm')
/** Text, name, owner and path. */
const COLUMNS = 4
/** Bytes that the sizes of each chunk have room in. */
export const SIZE_BYTES = 16
/** Of words for one segment: the program lays out its memory for many times as much, and has to find its way in it. */
export const SEGMENT_MAX_BYTES = 8 * 1_048_576
/** Other commits are seldom larger than the first one by more than this. */
const HEADROOM = 1.25

/** What `programs/postings` offers; places are bytes in its memory. */
interface PostingsExports {
  readonly memory: WebAssembly.Memory
  open(chunks: number, bytes: number): void
  begin(): void
  add_chunks(count: number): void
  write_segment(first_chunk: number): number
  count_column(column: number): number
  count_keys(): number
  count_guides(): number
  count_length_bytes(): number
  input_place(): number
  ends_place(): number
  pages_place(): number
  page_ends_place(): number
  keys_place(): number
  key_letters_place(): number
  guides_place(): number
  guide_bytes_place(): number
  sizes_place(): number
  size_lengths_place(): number
}

/** How much is to come at most: chunks, and bytes of their words with the path's for each of them. */
export interface PostingsWeight {
  readonly chunks: number
  readonly bytes: number
}

/** Bytes for a page. */
interface PagePiece {
  readonly page: number
  readonly bytes: Uint8Array
}

/** The words of many chunks as a segment of a full text; its bytes are there until the next one is begun. */
export interface WordSegment {
  readonly chunks: number
  readonly pages: readonly Uint8Array[]
  /** What leads to pages: the lowest bit of their number says whether a guide belongs to them. */
  readonly keys: readonly PagePiece[]
  /** What leads into lists over many pages. */
  readonly guides: readonly PagePiece[]
  /** How many tokens the columns of each chunk have, and as a list in JSON how many bytes say so. */
  readonly sizes: Uint8Array
  readonly size_lengths: string
  /** Tokens of each column in all chunks. */
  readonly totals: readonly number[]
}

/** Makes segments of words, one after the other. */
export interface SegmentMaker {
  begin(weight: PostingsWeight): void
  add(rows: DocumentRows): void
  finish(first_chunk: number): WordSegment
}

/** How much the words of a document weigh. */
export function weightOf({ count, words, ends }: DocumentRows): PostingsWeight {
  return { chunks: count, bytes: words.length + count * (ends[0] ?? 0) }
}

/** Opens a maker; its program is started when it is first needed, and anew for more than it has room for. */
export function openSegmentMaker(): SegmentMaker {
  let room: PostingsWeight = { chunks: 0, bytes: 0 }
  let program: PostingsExports | undefined
  let chunks = 0
  const running = () => program as PostingsExports
  return {
    begin(weight) {
      chunks = 0
      if (!program || weight.chunks > room.chunks || weight.bytes > room.bytes) {
        room = {
          chunks: Math.ceil(weight.chunks * HEADROOM),
          bytes: Math.ceil(weight.bytes * HEADROOM),
        }
        program = startProgram(room)
      }
      program.begin()
    },
    add({ count, words, ends }) {
      if (count === 0) return
      const { memory, input_place, ends_place, add_chunks } = running()
      new Uint8Array(memory.buffer, input_place(), words.length).set(words)
      new Int32Array(memory.buffer, ends_place(), 1 + count * ENDS_A_CHUNK).set(ends)
      add_chunks(count)
      chunks += count
    },
    finish: (first_chunk) => takeSegment(running(), running().write_segment(first_chunk), chunks),
  }
}

let compiled: WebAssembly.Module | undefined

function startProgram({ chunks, bytes }: PostingsWeight): PostingsExports {
  compiled ??= new WebAssembly.Module(readFileSync(MODULE_FILE))
  const program = new WebAssembly.Instance(compiled, {}).exports as unknown as PostingsExports
  program.open(chunks, bytes)
  return program
}

function takeSegment(program: PostingsExports, page_count: number, chunks: number): WordSegment {
  const { buffer } = program.memory as { buffer: ArrayBuffer }
  const page_ends = new Int32Array(buffer, program.page_ends_place(), page_count)
  const lengths = Buffer.from(buffer, program.size_lengths_place(), program.count_length_bytes() - 1)
  return {
    chunks,
    pages: cutAt(buffer, program.pages_place(), page_ends),
    keys: takePieces(buffer, program.keys_place(), program.count_keys(), program.key_letters_place()),
    guides: takePieces(buffer, program.guides_place(), program.count_guides(), program.guide_bytes_place()),
    sizes: new Uint8Array(buffer, program.sizes_place(), chunks * SIZE_BYTES),
    size_lengths: `[${lengths.toString('latin1')}]`,
    totals: Array.from({ length: COLUMNS }, (_, column) => program.count_column(column)),
  }
}

/** Two numbers for each piece: its page, and where it ends. */
function takePieces(buffer: ArrayBuffer, place: number, count: number, bytes_place: number): PagePiece[] {
  const numbers = new Int32Array(buffer, place, count * 2)
  const pieces = cutAt(
    buffer,
    bytes_place,
    numbers.filter((_, at) => at % 2 === 1),
  )
  return pieces.map((bytes, at) => ({ page: numbers[at * 2] as number, bytes }))
}

/** The pieces that end at each of these, one after the other. */
function cutAt(buffer: ArrayBuffer, place: number, ends: Int32Array): Uint8Array[] {
  let start = 0
  return Array.from(ends, (end) => {
    const piece = new Uint8Array(buffer, place + start, end - start)
    start = end
    return piece
  })
}
