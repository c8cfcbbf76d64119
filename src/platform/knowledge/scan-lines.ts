import type { Language } from './code-languages.ts'
import { IS_ODD, marksOf } from './line-marks.ts'
import {
  KIND_SHIFT,
  type LineProgram,
  type LineTable,
  OPEN_ENDS,
  OPEN_OTHERWISE,
  OPEN_SHIFT,
  startLineProgram,
} from './line-program.ts'
import { findOpen, kindOfLine } from './source-line.ts'

/**
 * The lines of a document: what each of them is, and its text where somebody asks for it. All of it is to be read
 * before the lines of another document are.
 */
export interface ScannedLines extends LineTable {
  readonly bytes: Buffer
  textOf(line: number): string
}

let program: LineProgram | undefined
/** What is being read, and what closes the text that is open in it, where it is one of another form. */
let bytes: Buffer = Buffer.alloc(0)
let language: Language | undefined
let close = ''

/** Reads a document line by line, knowing on each whether a comment or a text was left open before it. */
export function scanLines(document: Uint8Array, of: Language | undefined): ScannedLines {
  const buffer = Buffer.from(document.buffer, document.byteOffset, document.byteLength)
  bytes = buffer
  language = of
  program ??= startLineProgram({ read_open: readOpen, read_odd: readOdd })
  const table = program.scan(document, of)
  const { starts, marks } = table
  const textOf = (line: number) => {
    const [from, to] = [starts[line] as number, (starts[line + 1] as number) - 1]
    return buffer.toString((marks[line] as number) & IS_ODD ? 'utf8' : 'latin1', from, to)
  }
  return { ...table, bytes: buffer, textOf }
}

/** The same for lines of text. */
export function scanTexts(lines: readonly string[], of: Language | undefined): ScannedLines {
  return scanLines(Buffer.from(lines.join('\n')), of)
}

function readOpen(from: number, to: number, open: number): number {
  return openAfter(bytes.toString('latin1', from, to), open)
}

function readOdd(from: number, to: number, open: number): number {
  const line = bytes.toString('utf8', from, to)
  const marks = marksOf(line)
  if (!language) return marks
  const kind = kindOfLine(line, closeOf(open), language)
  return marks | (kind << KIND_SHIFT) | (openAfter(line, open) << OPEN_SHIFT)
}

function openAfter(line: string, open: number): number {
  close = findOpen(line, closeOf(open), language as Language)
  const known = OPEN_ENDS.indexOf(close)
  return known === -1 ? OPEN_OTHERWISE : known
}

function closeOf(open: number): string {
  return OPEN_ENDS[open] ?? close
}
