import { hashStem, leadOf } from './chunk-terms.ts'
import { type DocumentTerms, readDocumentTerms } from './document-terms.ts'
import type { Chunk, DocumentWords } from './knowledge.ts'
import { FIELD_WEIGHTS, LEAD_WEIGHT } from './ranking-weights.ts'
import { stemWord } from './stem-word.ts'
import { termOf } from './term-ids.ts'

/** Numbers for each chunk in `ends`: text, name, owner and counts end there; and how many terms its text has. */
export const ENDS_A_CHUNK = 5
const COUNT_LIMIT = 255
const COUNT_BYTES = 4
const FIRST_BYTES = 65_536

/** A stem as it is written. */
interface WrittenStem {
  /** With a blank after it. */
  readonly bytes: Uint8Array
  readonly hash: number
  /** Used while the stems of one chunk are counted, and 0 otherwise. */
  count: number
}

const encoder = new TextEncoder()
let round = -1
let by_term: WrittenStem[] = []
let by_text = new Map<string, WrittenStem>()
let out = new Uint8Array(FIRST_BYTES)
let length = 0

/** The words of a document's chunks as a full text takes them. */
export function renderWords(path: string, chunks: readonly Chunk[]): DocumentWords {
  const terms = readDocumentTerms(path, chunks)
  if (terms.round !== round) forget(terms.round)
  length = 0
  writeStems(terms.ids, 0, terms.path_end)
  const ends = new Int32Array(1 + chunks.length * ENDS_A_CHUNK)
  ends[0] = length
  for (const [at, chunk] of chunks.entries()) writeChunk(terms, at, leadOf(chunk), ends)
  return { bytes: out.slice(0, length), ends }
}

function forget(now: number): void {
  round = now
  by_term = []
  by_text = new Map()
}

function writeChunk(
  { ids, path_end, ends: until }: DocumentTerms,
  chunk: number,
  lead: number,
  ends: Int32Array,
): void {
  const from = chunk === 0 ? path_end : (until[chunk * 3 - 1] as number)
  const [body, name, owner] = [until[chunk * 3], until[chunk * 3 + 1], until[chunk * 3 + 2]] as [
    number,
    number,
    number,
  ]
  let at = 1 + chunk * ENDS_A_CHUNK
  ends[at++] = writeStems(ids, from, body)
  ends[at++] = writeStems(ids, body, name)
  ends[at++] = writeStems(ids, name, owner)
  found.length = 0
  countStems(ids, from, body, FIELD_WEIGHTS.body)
  countStems(ids, from, Math.min(body, from + lead), LEAD_WEIGHT)
  countStems(ids, body, name, FIELD_WEIGHTS.name)
  countStems(ids, name, owner, FIELD_WEIGHTS.owner)
  countStems(ids, 0, path_end, FIELD_WEIGHTS.path)
  ends[at++] = writeCounts()
  ends[at] = body - from
}

function writeStems(ids: Int32Array, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const { bytes } = stemOf(ids[at] as number)
    if (length + bytes.length > out.length) makeRoom(bytes.length)
    for (let byte = 0; byte < bytes.length; byte++) out[length++] = bytes[byte] as number
  }
  return length
}

const found: WrittenStem[] = []

function countStems(ids: Int32Array, from: number, to: number, weight: number): void {
  for (let at = from; at < to; at++) {
    const stem = stemOf(ids[at] as number)
    if (stem.count === 0) found.push(stem)
    stem.count += weight
  }
}

/** As `packCounts` has them. */
function writeCounts(): number {
  if (length + found.length * COUNT_BYTES > out.length) makeRoom(found.length * COUNT_BYTES)
  for (const stem of found) {
    out[length] = Math.min(stem.count, COUNT_LIMIT)
    out[length + 1] = stem.hash >>> 8
    out[length + 2] = stem.hash >>> 16
    out[length + 3] = stem.hash >>> 24
    length += COUNT_BYTES
    stem.count = 0
  }
  return length
}

function stemOf(id: number): WrittenStem {
  return by_term[id] ?? learnStem(id)
}

function learnStem(id: number): WrittenStem {
  // No gaps: those would make the list slow.
  while (by_term.length <= id) by_term.push(makeStem(termOf(by_term.length)))
  return by_term[id] as WrittenStem
}

function makeStem(term: string): WrittenStem {
  const text = stemWord(term)
  const known = by_text.get(text)
  if (known) return known
  const bytes = encoder.encode(`${text} `)
  const stem = { bytes, hash: hashStem(text), count: 0 }
  by_text.set(text, stem)
  return stem
}

function makeRoom(more: number): void {
  const larger = new Uint8Array((out.length + more) * 2)
  larger.set(out)
  out = larger
}
