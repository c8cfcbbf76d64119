import type { Cut } from './cut-document.ts'
import type { KnowledgeKind } from './knowledge.ts'
import { IS_BLANK, IS_WORDLESS } from './line-marks.ts'
import type { ScannedLines } from './scan-lines.ts'

/** A chunk's text is no longer than this; what follows in its lines is left out. */
const CHUNK_TEXT_LIMIT = 12_000
/** Text without structure is cut after so many lines, and so is a part that is much longer. */
const WINDOW_LINES = 50
/** Up to here a part stays whole. */
export const WHOLE_LINES = 80

/** A part of a document between two lines, both counted from 0, the second not included. */
export interface Part {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** Cuts a document by its parts: without blank ends, the long ones in windows, nothing where there are no words. */
export function cutParts(scanned: ScannedLines, parts: readonly Part[], kind: KnowledgeKind): Cut[] {
  const cuts: Cut[] = []
  for (const part of parts)
    for (const window of cutWindows(scanned, part)) {
      const cut = cutWindow(scanned, window, kind)
      if (cut) cuts.push(cut)
    }
  return cuts
}

function cutWindows(scanned: ScannedLines, part: Part): Part[] {
  if (part.end - part.start <= WHOLE_LINES) return [part]
  const windows: Part[] = []
  for (let start = part.start; start < part.end; ) {
    const end = part.end - start <= WHOLE_LINES ? part.end : findBreak(scanned, start)
    windows.push({ name: part.name, start, end })
    start = end
  }
  return windows
}

/** A blank line ends a window sooner, if one comes in its last third. */
function findBreak(scanned: ScannedLines, start: number): number {
  const end = start + WINDOW_LINES
  for (let at = end; at > start + (WINDOW_LINES * 2) / 3; at--) if (isBlankAt(scanned, at - 1)) return at
  return end
}

function cutWindow(scanned: ScannedLines, { name, start, end }: Part, kind: KnowledgeKind): Cut | undefined {
  let [first, last] = [start, end]
  while (first < last && isBlankAt(scanned, first)) first++
  if (!hasWords(scanned, first, last)) return undefined
  while (isBlankAt(scanned, last - 1)) last--
  const from = scanned.starts[first] as number
  const to = limitText(scanned, from, (scanned.starts[last] as number) - 1)
  return { kind, name, start_line: first + 1, end_line: last, from, to }
}

/** Where a text that is too long ends: behind a whole character. */
function limitText({ bytes }: ScannedLines, from: number, to: number): number {
  if (to - from <= CHUNK_TEXT_LIMIT) return to
  const text = bytes.toString('utf8', from, to).slice(0, CHUNK_TEXT_LIMIT)
  return from + Buffer.byteLength(text.isWellFormed() ? text : text.slice(0, -1))
}

function hasWords({ marks }: ScannedLines, first: number, last: number): boolean {
  for (let at = first; at < last; at++) if (((marks[at] as number) & IS_WORDLESS) === 0) return true
  return false
}

/** Whether a line has nothing on it, or is none. */
export function isBlankAt({ marks }: ScannedLines, line: number): boolean {
  return ((marks[line] ?? IS_BLANK) & IS_BLANK) !== 0
}
