import { cutTerm, eachTerm, type TakeTerm, TERM_LENGTH_LIMIT } from './split-terms.ts'
import { stemWord } from './stem-word.ts'

const HASH_START = 2_166_136_261
const HASH_PRIME = 16_777_619
/** The upper 24 bits of a packed count are the stem's hash. */
const HASH_SHIFT = 8
const FIRST_SLOTS = 131_072
/** With so many terms a new vocabulary is begun for the next document. */
const TERMS_MAX = 65_536
const ASCII_END = 128
/** Small letters of ASCII have this bit, and so have digits. */
const CASE_BIT = 32
const UNKNOWN = -1
/** Letters and digits of ASCII, in lower case. */
const PLAIN = /^[a-z0-9]+$/

/** Terms by number: the same term has the same number. Stems are terms too. */
export interface Vocabulary {
  /** The numbers of a text's terms, in their order. */
  read(text: string): number[]
  numberOf(term: string): number
  textOf(term: number): string
  stemOf(term: number): number
  /** The hash of a term as it is packed with a count. */
  packedHashOf(term: number): number
  isFull(): boolean
  /** A scratch count for each term, which whoever uses it sets back to 0. */
  readonly counts: number[]
}

/** What is known of each term, by its number. */
interface TermList {
  readonly texts: string[]
  readonly hashes: number[]
  readonly stems: number[]
  readonly counts: number[]
  /** Adds a term; answers its number. */
  add(text: string, hash: number): number
}

function openTermList(): TermList {
  const [texts, hashes, stems, counts]: [string[], number[], number[], number[]] = [[], [], [], []]
  return {
    texts,
    hashes,
    stems,
    counts,
    add(text, hash) {
      hashes.push(hash)
      stems.push(UNKNOWN)
      counts.push(0)
      return texts.push(text) - 1
    },
  }
}

/**
 * A hash table of terms that are ASCII. It finds a term by the codes of its letters, so that no string is made of the
 * millions of terms that are known already. Answers `UNKNOWN` for a term with other letters.
 */
function openPlainTerms({ texts, hashes, add }: TermList) {
  const starts: number[] = []
  let slots = new Int32Array(FIRST_SLOTS)
  let letters = new Uint8Array(FIRST_SLOTS)
  let letters_end = 0
  let size = 0

  function place(term: number): void {
    const mask = slots.length - 1
    let slot = (hashes[term] as number) & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = term + 1
  }
  function learn(text: string, hash: number): number {
    const term = add(text, hash)
    starts[term] = letters_end
    while (letters_end + text.length > letters.length) letters = grown(letters)
    for (let at = 0; at < text.length; at++) letters[letters_end++] = text.charCodeAt(at)
    size += 1
    if (size * 2 > slots.length) {
      slots = new Int32Array(slots.length * 2)
      for (let known = 0; known < term; known++) if (starts[known] !== undefined) place(known)
    }
    place(term)
    return term
  }
  function isSame(term: number, codes: Uint16Array, from: number, to: number): boolean {
    if ((texts[term] as string).length !== to - from) return false
    const offset = (starts[term] as number) - from
    for (let at = from; at < to; at++)
      if (letters[at + offset] !== ((codes[at] as number) | CASE_BIT)) return false
    return true
  }
  return (codes: Uint16Array, from: number, to: number): number => {
    let hash = HASH_START | 0
    for (let at = from; at < to; at++) {
      const code = codes[at] as number
      if (code >= ASCII_END) return UNKNOWN
      hash = Math.imul(hash ^ (code | CASE_BIT), HASH_PRIME)
    }
    const mask = slots.length - 1
    for (let slot = hash & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const term = (slots[slot] as number) - 1
      if (hashes[term] === hash && isSame(term, codes, from, to)) return term
    }
    return learn(textOf(codes, from, to).toLowerCase(), hash)
  }
}

/** Opens a vocabulary without a term. */
export function openVocabulary(): Vocabulary {
  const list = openTermList()
  const { texts, hashes, stems, counts } = list
  const findPlain = openPlainTerms(list)
  const others = new Map<string, number>()
  let found: number[] = []

  function numberOf(term: string): number {
    if (PLAIN.test(term)) return findPlain(Uint16Array.from(Buffer.from(term)), 0, term.length)
    const known = others.get(term) ?? list.add(term, hashOf(term))
    others.set(term, known)
    return known
  }
  /** Terms of ASCII are cut by their codes; in others a letter may become two in lower case. */
  const take: TakeTerm = (codes, from, to, is_upper) => {
    const before = found.length
    for (let at = from; at < to; at += TERM_LENGTH_LIMIT) {
      const term = findPlain(codes, at, Math.min(to, at + TERM_LENGTH_LIMIT))
      if (term !== UNKNOWN) found.push(term)
      else {
        found.length = before
        for (const piece of cutTerm(textOf(codes, from, to), is_upper)) found.push(numberOf(piece))
        break
      }
    }
    return found.length - before
  }
  function stemOf(term: number): number {
    if (stems[term] === UNKNOWN) stems[term] = numberOf(stemWord(texts[term] as string))
    return stems[term] as number
  }
  return {
    counts,
    numberOf,
    stemOf,
    read(text) {
      found = []
      eachTerm(text, take)
      return found
    },
    textOf: (term) => texts[term] as string,
    packedHashOf: (term) => ((hashes[term] as number) << HASH_SHIFT) >>> 0,
    isFull: () => texts.length >= TERMS_MAX,
  }
}

function textOf(codes: Uint16Array, from: number, to: number): string {
  return Buffer.from(codes.buffer, codes.byteOffset + from * 2, (to - from) * 2).toString('utf16le')
}

function grown(letters: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(letters.length * 2)
  larger.set(letters)
  return larger
}

/** FNV-1a, in 32 bits. */
export function hashOf(term: string): number {
  let hash = HASH_START | 0
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), HASH_PRIME)
  return hash
}

/** The hash that the count of a stem is packed with: its lower 24 bits. */
export function hashStem(stem: string): number {
  return (hashOf(stem) << HASH_SHIFT) >>> 0
}
