/** No chunk has more terms than this; the rest of a longer text is not searched. */
const TERM_LIMIT = 20_000
/** Longer runs of letters are cut, so that encoded data makes no endless words. */
export const TERM_LENGTH_LIMIT = 24

const OTHER = 0
const LOWER = 1
const UPPER = 2
const DIGIT = 3
/** A letter that is a word by itself, as in Chinese, Japanese and Korean. */
const SINGLE = 4

const UNKNOWN = 255
const BLANK = 32
const CLASSES = new Uint8Array(65_536).fill(UNKNOWN)

let shared = new Uint16Array(4_096)

/** The characters of a text with a blank after them: numbers in a row are read faster than a text is. */
function codesOf(text: string): Uint16Array {
  if (shared.length <= text.length) shared = new Uint16Array(text.length * 2)
  Buffer.from(shared.buffer).write(text, 'utf16le')
  shared[text.length] = BLANK
  return shared
}

/**
 * Cuts text into lower-case terms: `parseHTTPHeader_v2` gives parse, http, header, v, 2. Capitals begin a
 * term, the last of several belongs to the next one unless only a plural follows (`URLs`), and digits are apart.
 */
export function splitTerms(text: string, limit = TERM_LIMIT): string[] {
  const terms: string[] = []
  const codes = codesOf(text)
  let at = 0
  while (at < text.length && terms.length < limit) {
    const first = classOf(codes[at] as number)
    if (first === OTHER) {
      at++
      continue
    }
    const end = findTermEnd(codes, at, first)
    addTerm(terms, first === UPPER ? text.slice(at, end).toLowerCase() : text.slice(at, end))
    at = end
  }
  return terms
}

function addTerm(terms: string[], term: string): void {
  if (term.length <= TERM_LENGTH_LIMIT) terms.push(term)
  else
    for (let at = 0; at < term.length; at += TERM_LENGTH_LIMIT)
      terms.push(term.slice(at, at + TERM_LENGTH_LIMIT))
}

/** Where the term ends that begins with a character of this class. */
function findTermEnd(codes: Uint16Array, start: number, first: number): number {
  if (first === SINGLE) return start + 1
  let at = skip(codes, start, first)
  if (first !== UPPER || classOf(codes[at] as number) !== LOWER) return at
  if (at - start === 1) return skip(codes, at, LOWER)
  const isPlural = codes[at] === 115 && classOf(codes[at + 1] as number) !== LOWER
  return isPlural ? at + 1 : --at
}

function skip(codes: Uint16Array, start: number, wanted: number): number {
  let at = start
  while (classOf(codes[at] as number) === wanted) at++
  return at
}

/** The class of a character; `OTHER` where no term can begin. */
export function classOf(code: number): number {
  const known = CLASSES[code] as number
  return known === UNKNOWN ? classify(code) : known
}

function classify(code: number): number {
  const letter = String.fromCharCode(code)
  let found = OTHER
  if (!/[\p{L}\p{M}\p{N}]/u.test(letter) || /\p{Variation_Selector}/u.test(letter)) found = OTHER
  else if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(letter))
    found = SINGLE
  else if (/[\p{Lu}\p{Lt}]/u.test(letter)) found = UPPER
  else found = /\p{N}/u.test(letter) ? DIGIT : LOWER
  CLASSES[code] = found
  return found
}
