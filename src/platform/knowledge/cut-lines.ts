import type { Chunk, KnowledgeKind } from './knowledge.ts'

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

/** Makes chunks of parts: without blank ends, the long ones in windows, nothing where there are no words. */
export function makeChunks(lines: readonly string[], parts: readonly Part[], kind: KnowledgeKind): Chunk[] {
  return parts.flatMap((part) => cutWindows(lines, part)).flatMap((part) => makeChunk(lines, part, kind))
}

function cutWindows(lines: readonly string[], part: Part): Part[] {
  if (part.end - part.start <= WHOLE_LINES) return [part]
  const windows: Part[] = []
  for (let start = part.start; start < part.end; ) {
    const end = part.end - start <= WHOLE_LINES ? part.end : findBreak(lines, start)
    windows.push({ name: part.name, start, end })
    start = end
  }
  return windows
}

/** A blank line ends a window sooner, if one comes in its last third. */
function findBreak(lines: readonly string[], start: number): number {
  const end = start + WINDOW_LINES
  for (let at = end; at > start + (WINDOW_LINES * 2) / 3; at--) if (isBlank(lines[at - 1])) return at
  return end
}

function makeChunk(lines: readonly string[], { name, start, end }: Part, kind: KnowledgeKind): Chunk[] {
  let [first, last] = [start, end]
  while (first < last && isBlank(lines[first])) first++
  if (!hasWords(lines, first, last)) return []
  while (isBlank(lines[last - 1])) last--
  const text = lines.slice(first, last).join('\n').slice(0, CHUNK_TEXT_LIMIT)
  return [{ kind, name, start_line: first + 1, end_line: last, text }]
}

function hasWords(lines: readonly string[], first: number, last: number): boolean {
  for (let at = first; at < last; at++) if (!isWordless(lines[at])) return true
  return false
}

/** Whether a line has nothing on it. */
export function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === ''
}

/** Whether nobody could look for anything on a line: blank, or brackets and marks only. */
export function isWordless(line: string | undefined): boolean {
  return line === undefined || !(/[a-z0-9]/i.test(line) || /[\p{L}\p{N}]/u.test(line))
}
