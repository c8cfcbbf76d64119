import type { Chunk, KnowledgeKind } from '../knowledge.ts'
import { isBlankAt, isWordlessAt, type ScannedLines } from './scan-lines.ts'

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
export function cutParts(scanned: ScannedLines, parts: readonly Part[], kind: KnowledgeKind): Chunk[] {
  const chunks: Chunk[] = []
  for (const part of parts)
    for (const window of cutWindows(scanned, part)) {
      const chunk = cutWindow(scanned, window, kind)
      if (chunk) chunks.push(chunk)
    }
  return chunks
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

function cutWindow(
  scanned: ScannedLines,
  { name, start, end }: Part,
  kind: KnowledgeKind,
): Chunk | undefined {
  let [first, last] = [start, end]
  while (first < last && isBlankAt(scanned, first)) first++
  if (!hasWords(scanned, first, last)) return undefined
  while (isBlankAt(scanned, last - 1)) last--
  const { text, starts } = scanned
  const own = text.slice(starts[first], (starts[last] as number) - 1)
  return { kind, name, start_line: first + 1, end_line: last, text: limitText(own) }
}

/** A text that is too long ends behind a whole character. */
function limitText(text: string): string {
  if (text.length <= CHUNK_TEXT_LIMIT) return text
  const cut = text.slice(0, CHUNK_TEXT_LIMIT)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

function hasWords(scanned: ScannedLines, first: number, last: number): boolean {
  for (let at = first; at < last; at++) if (!isWordlessAt(scanned, at)) return true
  return false
}
