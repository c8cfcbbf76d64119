import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_FOLDER } from '../basics/package-folder.ts'
import type { Language } from './code-languages.ts'

const MODULE_FILE = join(PACKAGE_FOLDER, 'programs', 'lines.wasm')

/** What `programs/lines` offers; places are bytes in its memory. */
interface LineExports {
  readonly memory: WebAssembly.Memory
  reserve(length: number): number
  set_language(
    is_code: number,
    remark: number,
    remark_length: number,
    other_remark: number,
    other_remark_length: number,
    has_blocks: number,
    openers: number,
    triples: number,
    asks: number,
  ): void
  scan(length: number): number
  starts_place(): number
  indents_place(): number
  kinds_place(): number
  marks_place(): number
}

/** What the program asks about a line, given by where it begins and ends, and what is open before it. */
export interface LineQuestions {
  /** What is open behind a line. */
  read_open(from: number, to: number, open: number): number
  /** The same of a line with other characters than those of ASCII, with its marks and its kind. */
  read_odd(from: number, to: number, open: number): number
}

/** What is open behind a line, for the program: what closes it, by its number, or something else. */
export const OPEN_ENDS: readonly string[] = ['', '*/', '`', '"""', "'''"]
export const OPEN_OTHERWISE = OPEN_ENDS.length

/** Of an answer about an odd line: its marks come first, then its kind, then what is open behind it. */
export const KIND_SHIFT = 8
export const OPEN_SHIFT = 10

/** A running program. */
export interface LineProgram {
  /** The lines of some bytes; the numbers are there until others are scanned. */
  scan(bytes: Uint8Array, language: Language | undefined): LineTable
}

/** Lines by their numbers. */
export interface LineTable {
  readonly count: number
  /** Where each line begins; after the last one comes where a next one would. */
  readonly starts: Int32Array
  readonly indents: Uint16Array
  readonly kinds: Uint8Array
  readonly marks: Uint8Array
}

/** Starts a program that asks what it cannot tell. */
export function startLineProgram(questions: LineQuestions): LineProgram {
  const compiled = new WebAssembly.Module(readFileSync(MODULE_FILE))
  const { exports } = new WebAssembly.Instance(compiled, { env: { ...questions } })
  const program = exports as unknown as LineExports
  return {
    scan(bytes, language) {
      const place = program.reserve(bytes.length)
      const memory = program.memory.buffer as ArrayBuffer
      new Uint8Array(memory, place, bytes.length).set(bytes)
      setLanguage(program, language)
      const count = program.scan(bytes.length)
      return {
        count,
        starts: new Int32Array(memory, program.starts_place(), count + 1),
        indents: new Uint16Array(memory, program.indents_place(), count),
        kinds: new Uint8Array(memory, program.kinds_place(), count),
        marks: new Uint8Array(memory, program.marks_place(), count),
      }
    },
  }
}

/** Bits by which the program tells quotes. */
const QUOTES: Readonly<Record<string, number>> = { '`': 8, '"': 16, "'": 32 }

function setLanguage(program: LineExports, language: Language | undefined): void {
  if (language === undefined) return program.set_language(0, 0, 0, 0, 0, 0, 0, 0, 0)
  const { line_comments, has_blocks, long_quotes, has_rust_texts = false } = language
  const [remark = '', other = ''] = line_comments
  const bitsOf = (length: number) =>
    long_quotes.reduce(
      (bits, quote) => (quote.length === length ? bits | (QUOTES[quote[0] as string] as number) : bits),
      0,
    )
  program.set_language(
    1,
    lettersOf(remark),
    remark.length,
    lettersOf(other),
    other.length,
    Number(has_blocks),
    bitsOf(1),
    bitsOf(3),
    Number(has_rust_texts),
  )
}

function lettersOf(mark: string): number {
  return mark === '' ? 0 : mark.length === 1 ? mark.charCodeAt(0) : Buffer.from(mark).readUInt16LE()
}
