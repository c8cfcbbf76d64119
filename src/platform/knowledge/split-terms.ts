/** No chunk has more terms than this; the rest of a longer text is not searched. */
export const TERM_LIMIT = 20_000
/** Longer runs of letters are cut, so that encoded data makes no endless words. */
const TERM_LENGTH_LIMIT = 24

const OTHER = 0
const LOWER = 1
const UPPER = 2
const DIGIT = 3
/** A letter that is a word by itself, as in Chinese, Japanese and Korean. */
const SINGLE = 4

const UNKNOWN = 255
const CLASSES = new Uint8Array(65_536).fill(UNKNOWN)

/**
 * Cuts text into lower-case terms: `parseHTTPHeader_v2` gives parse, http, header, v, 2. Capitals begin a
 * term, the last of several belongs to the next one unless only a plural follows (`URLs`), and digits are apart.
 */
export function splitTerms(text: string, limit = TERM_LIMIT): string[] {
  const terms: string[] = []
  let at = 0
  while (at < text.length && terms.length < limit) {
    const first = classAt(text, at)
    if (first === OTHER) {
      at++
      continue
    }
    const end = first === SINGLE ? at + 1 : findTermEnd(text, at, first)
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

function findTermEnd(text: string, start: number, first: number): number {
  let at = skip(text, start, first)
  if (first !== UPPER || classAt(text, at) !== LOWER) return at
  if (at - start === 1) return skip(text, at, LOWER)
  const isPlural = text.charCodeAt(at) === 115 && classAt(text, at + 1) !== LOWER
  return isPlural ? at + 1 : --at
}

function skip(text: string, start: number, wanted: number): number {
  let at = start
  while (at < text.length && classAt(text, at) === wanted) at++
  return at
}

function classAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  // Past the end the code is NaN, which no class has.
  const known = CLASSES[code] ?? OTHER
  return known === UNKNOWN ? classify(code) : known
}

function classify(code: number): number {
  const letter = String.fromCharCode(code)
  let found = OTHER
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(letter)) found = SINGLE
  else if (/\p{Lu}/u.test(letter)) found = UPPER
  else if (/[\p{L}\p{M}]/u.test(letter) && !/\p{Variation_Selector}/u.test(letter)) found = LOWER
  else if (/\p{N}/u.test(letter)) found = DIGIT
  CLASSES[code] = found
  return found
}
