import { TRAIL_MARK } from './chunk-markdown.ts'
import type { Chunk } from './knowledge.ts'
import { FIELD_WEIGHTS, LEAD_WEIGHT, LEAD_WORDS } from './ranking-weights.ts'
import { splitTerms } from './split-terms.ts'
import { stemWord } from './stem-word.ts'

const HASH_START = 2_166_136_261
const HASH_PRIME = 16_777_619
const HASH_SHIFT = 8
const COUNT_LIMIT = 255

/** So many words are known by their stems; when it is full it begins anew. */
const KNOWN_LIMIT = 100_000

/** A stem that words share. */
export interface Stem {
  readonly text: string
  readonly hash: number
  /** Used while the stems of one chunk are counted, and 0 otherwise: a map for each chunk would cost more. */
  count: number
}

/** A chunk as it is searched for words: its stems by where they stand. */
export interface ChunkTerms {
  readonly body: readonly Stem[]
  /** So many of the text's first stems count more. */
  readonly lead: number
  readonly name: readonly Stem[]
  readonly owner: readonly Stem[]
  readonly path: readonly Stem[]
}

const by_word = new Map<string, Stem>()
const by_text = new Map<string, Stem>()

/** The stems of a document's chunks. What leads to a name, as a class to its method, counts apart from it. */
export function readTerms(path: string, chunks: readonly Chunk[]): ChunkTerms[] {
  const path_stems = stemsOf(path)
  return chunks.map((chunk) => {
    const [name, owner] = splitName(chunk)
    const body = stemsOf(chunk.text)
    const lead = Math.min(body.length, leadOf(chunk))
    return { body, lead, name: stemsOf(name), owner: stemsOf(owner), path: path_stems }
  })
}

/** How many of a chunk's first words count more: code begins with its name, which counts more already. */
export function leadOf({ kind }: Pick<Chunk, 'kind'>): number {
  return kind === 'doc' ? LEAD_WORDS : 0
}

/** A name's own part, and what leads to it. */
export function splitName({ name, kind }: Pick<Chunk, 'name' | 'kind'>): [name: string, owner: string] {
  const mark = kind === 'doc' ? TRAIL_MARK : '.'
  const at = name.lastIndexOf(mark)
  return at === -1 ? [name, ''] : [name.slice(at + mark.length), name.slice(0, at)]
}

function stemsOf(text: string): Stem[] {
  if (by_word.size >= KNOWN_LIMIT) {
    by_word.clear()
    by_text.clear()
  }
  return splitTerms(text).map((word) => by_word.get(word) ?? learnStem(word))
}

function learnStem(word: string): Stem {
  const text = stemWord(word)
  const stem = by_text.get(text) ?? { text, hash: hashStem(text), count: 0 }
  by_text.set(text, stem)
  by_word.set(word, stem)
  return stem
}

/** How often each stem counts in a chunk, as bytes: a hash of 24 bits and a count of 8 for each. */
export function packCounts(terms: ChunkTerms): Uint8Array {
  const found: Stem[] = []
  for (const field of ['body', 'name', 'owner', 'path'] as const)
    for (const stem of terms[field]) {
      if (stem.count === 0) found.push(stem)
      stem.count += FIELD_WEIGHTS[field]
    }
  for (let at = 0; at < terms.lead; at++) (terms.body[at] as Stem).count += LEAD_WEIGHT
  const packed = new Uint32Array(found.length)
  for (const [at, stem] of found.entries()) {
    packed[at] = stem.hash | Math.min(stem.count, COUNT_LIMIT)
    stem.count = 0
  }
  return new Uint8Array(packed.buffer)
}

/** The stems of a field as the full text takes them. */
export function renderStems(stems: readonly Stem[]): string {
  let text = ''
  for (const stem of stems) text += `${stem.text} `
  return text
}

/** The counts of some stems, given by their hashes, from a chunk's bytes. */
export function unpackCounts(bytes: Uint8Array, hashes: readonly number[]): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const counts = hashes.map(() => 0)
  for (let at = 0; at + 4 <= bytes.byteLength; at += 4) {
    const packed = view.getUint32(at, true)
    const found = hashes.indexOf((packed & ~COUNT_LIMIT) >>> 0)
    if (found !== -1) counts[found] = packed & COUNT_LIMIT
  }
  return counts
}

/** The hash that a stem is packed under; FNV-1a, its lower 24 bits. */
export function hashStem(stem: string): number {
  let hash = HASH_START
  for (let at = 0; at < stem.length; at++) hash = Math.imul(hash ^ stem.charCodeAt(at), HASH_PRIME)
  return (hash << HASH_SHIFT) >>> 0
}
