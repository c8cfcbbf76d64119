import { TRAIL_MARK } from '../chunking/chunk-markdown.ts'
import type { Chunk } from '../knowledge.ts'
import { FIELD_WEIGHTS, LEAD_WEIGHT, LEAD_WORDS } from '../ranking/ranking-weights.ts'
import { isMadeByTool } from '../walk/made-by-tools.ts'
import { hashStem, openVocabulary, type Vocabulary } from './vocabulary.ts'

const COUNT_LIMIT = 255
const COUNT_BYTES = 4
/** Counted in each chunk of a document that a tool made; no text has such a term. */
const MADE_MARK = '\0made'
/** So much of a document tells whether a tool made it. */
const HEAD_CHARS = 4_000

/** A chunk as it is searched for words: the numbers of its terms by where they stand. */
export interface ChunkTerms {
  readonly vocabulary: Vocabulary
  readonly body: readonly number[]
  /** So many of the text's first words count more. */
  readonly lead: number
  readonly is_nameless: boolean
  /** Whether a tool made the document, and not a person. */
  readonly is_made: boolean
  readonly name: readonly number[]
  readonly owner: readonly number[]
  readonly path: readonly number[]
}

const FIELDS = ['body', 'name', 'owner', 'path'] as const

let vocabulary: Vocabulary | undefined
/** A document's words and its vectors are made of the same terms: they are read once. */
const known = new WeakMap<readonly Chunk[], { readonly path: string; readonly terms: ChunkTerms[] }>()

/** The terms of a document's chunks. What leads to a name, as a class to its method, counts apart from it. */
export function readTerms(path: string, chunks: readonly Chunk[]): ChunkTerms[] {
  const before = known.get(chunks)
  if (before?.path === path) return before.terms
  if (!vocabulary || vocabulary.isFull()) vocabulary = openVocabulary()
  const all = vocabulary
  const in_path = all.read(path)
  const is_made = isMadeByTool(path, headOf(chunks))
  const terms = chunks.map((chunk) => {
    const [name, owner] = splitName(chunk)
    return {
      vocabulary: all,
      body: all.read(chunk.text),
      lead: leadOf(chunk),
      is_nameless: chunk.name === '',
      is_made,
      name: all.read(name),
      owner: all.read(owner),
      path: in_path,
    }
  })
  known.set(chunks, { path, terms })
  return terms
}

function headOf(chunks: readonly Chunk[]): string {
  let head = ''
  for (const { text } of chunks) {
    head += `${text}\n`
    if (head.length >= HEAD_CHARS) break
  }
  return head.slice(0, HEAD_CHARS)
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

/** How often each stem counts in a chunk, as bytes: a hash of 24 bits and a count of 8 for each. */
export function packCounts(terms: ChunkTerms): Uint8Array {
  const { stemOf, packedHashOf, counts } = terms.vocabulary
  const found: number[] = []
  for (const field of FIELDS)
    for (const term of terms[field]) {
      const stem = stemOf(term)
      if (counts[stem] === 0) found.push(stem)
      counts[stem] = (counts[stem] as number) + FIELD_WEIGHTS[field]
    }
  for (let at = 0; at < Math.min(terms.lead, terms.body.length); at++) {
    const stem = stemOf(terms.body[at] as number)
    counts[stem] = (counts[stem] as number) + LEAD_WEIGHT
  }
  const packed = new Uint32Array(found.length + Number(terms.is_made))
  if (terms.is_made) packed[found.length] = hashStem(MADE_MARK) | 1
  for (let at = 0; at < found.length; at++) {
    const stem = found[at] as number
    packed[at] = packedHashOf(stem) | Math.min(counts[stem] as number, COUNT_LIMIT)
    counts[stem] = 0
  }
  return new Uint8Array(packed.buffer)
}

/** The stems of a field, in their order. */
export function stemsIn({ vocabulary: { stemOf, textOf } }: ChunkTerms, field: readonly number[]): string[] {
  return field.map((term) => textOf(stemOf(term)))
}

/** The counts of a query's stems in a chunk, and whether a tool made its document. */
export function readCounts(bytes: Uint8Array, stems: readonly { readonly stem: string }[]) {
  const hashes = [...stems.map(({ stem }) => hashStem(stem)), hashStem(MADE_MARK)]
  const counts = unpackCounts(bytes, hashes)
  return { is_made: counts.pop() !== 0, counts }
}

/** The counts of some stems, given by their hashes, from a chunk's bytes. */
export function unpackCounts(bytes: Uint8Array, hashes: readonly number[]): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const counts = hashes.map(() => 0)
  for (let at = 0; at + COUNT_BYTES <= bytes.byteLength; at += COUNT_BYTES) {
    const packed = view.getUint32(at, true)
    const found = hashes.indexOf((packed & ~COUNT_LIMIT) >>> 0)
    if (found !== -1) counts[found] = packed & COUNT_LIMIT
  }
  return counts
}
