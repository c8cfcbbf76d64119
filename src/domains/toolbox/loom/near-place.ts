import type { Span } from './edit.ts'
import type { Lines } from './lines.ts'

/** A place that is like what was looked for, and what kind of difference there is. */
export interface NearPlace extends Span {
  readonly difference: 'endings' | 'blanks' | 'words'
}

/** Longer lines are compared by their beginnings. */
const COMPARED_CHARS = 200
const COMPARED_LINES = 20_000
/** Shorter lines are like too many others. */
const PROBE_MIN_CHARS = 4
/** Of the pairs of letters that two lines have, more than this part must be in both. */
const LIKE_ENOUGH = 0.6
const BLANK = /\s/
const EVERY_ENDING = /\r\n?|\n/g

/** Looks for the place that a spec without any match most likely meant. Goes through the text a few times only. */
export function findNearest(text: string, spec: string, lines: Lines): NearPlace | undefined {
  return findButForBlanks(text, spec) ?? findLikeLine(text, spec, lines)
}

function findButForBlanks(text: string, spec: string): NearPlace | undefined {
  const sought = squeeze(spec)
  if (sought.text === '') return undefined
  const squeezed = squeeze(text)
  const at = squeezed.text.indexOf(sought.text)
  if (at < 0) return undefined
  const start = squeezed.indexes[at] as number
  const end = (squeezed.indexes[at + sought.text.length - 1] as number) + 1
  const same_lines = unifyEndings(text).includes(unifyEndings(spec))
  return { start, end, difference: same_lines ? 'endings' : 'blanks' }
}

function unifyEndings(text: string): string {
  return text.replaceAll(EVERY_ENDING, '\n')
}

/** A text without its blanks, and where each character that is left stood. */
function squeeze(text: string): { text: string; indexes: Uint32Array } {
  const indexes = new Uint32Array(text.length)
  const kept: string[] = []
  let from = 0
  let count = 0
  for (let index = 0; index <= text.length; index += 1) {
    if (index < text.length && !isBlank(text, index)) indexes[count++] = index
    else {
      if (index > from) kept.push(text.slice(from, index))
      from = index + 1
    }
  }
  return { text: kept.join(''), indexes }
}

function isBlank(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code === 32 || (code >= 9 && code <= 13) || (code > 127 && BLANK.test(text[index] as string))
}

function findLikeLine(text: string, spec: string, lines: Lines): NearPlace | undefined {
  const probe = longestLine(spec)
  if (probe.length < PROBE_MIN_CHARS) return undefined
  const pairs = new Set(pairsOf(probe))
  let best: NearPlace | undefined
  let best_score = LIKE_ENOUGH
  for (let line = 1; line <= Math.min(lines.count, COMPARED_LINES); line += 1) {
    const [start, end] = [lines.startOf(line), lines.startOf(line + 1)]
    const score = likeness(pairs, text.slice(start, end).trim().slice(0, COMPARED_CHARS))
    if (score <= best_score) continue
    best_score = score
    best = { start, end, difference: 'words' }
  }
  return best
}

function longestLine(spec: string): string {
  const all = spec.split(EVERY_ENDING).map((line) => line.trim().slice(0, COMPARED_CHARS))
  return all.reduce((longest, line) => (line.length > longest.length ? line : longest), '')
}

function pairsOf(line: string): string[] {
  return Array.from({ length: Math.max(0, line.length - 1) }, (_, index) => line.slice(index, index + 2))
}

/** How many of the pairs of letters in either are in both, from 0 to 1. */
function likeness(pairs: ReadonlySet<string>, line: string): number {
  const own = new Set(pairsOf(line))
  let both = 0
  for (const pair of own) if (pairs.has(pair)) both += 1
  return both === 0 ? 0 : (2 * both) / (pairs.size + own.size)
}
