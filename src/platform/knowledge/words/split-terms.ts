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

/** The characters of a text with a blank after them: an array of numbers is read faster than a string. */
function codesOf(text: string): Uint16Array {
  const codes = new Uint16Array(text.length + 1)
  Buffer.from(codes.buffer).write(text, 'utf16le')
  codes[text.length] = BLANK
  return codes
}

/** Takes a term by its place among the codes; answers how many terms it counts as. */
export type TakeTerm = (codes: Uint16Array, from: number, to: number, is_upper: boolean) => number

/**
 * Finds the terms of a text: `parseHTTPHeader_v2` has parse, HTTP, Header, v, 2. Capitals begin a term, the last of
 * several belongs to the next one unless only a plural follows (`URLs`), and digits are apart.
 */
export function eachTerm(text: string, take: TakeTerm, limit = TERM_LIMIT): void {
  const codes = codesOf(text)
  const end = text.length
  let [at, count] = [0, 0]
  while (at < end && count < limit) {
    const first = classOf(codes[at] as number)
    if (first === OTHER) {
      at++
      continue
    }
    const to = findTermEnd(codes, at, first)
    count += take(codes, at, to, first === UPPER)
    at = to
  }
}

/** The terms of a text in lower case; long ones in pieces. */
export function splitTerms(text: string, limit = TERM_LIMIT): string[] {
  const terms: string[] = []
  const take: TakeTerm = (_codes, from, to, is_upper) => {
    const pieces = cutTerm(text.slice(from, to), is_upper)
    terms.push(...pieces)
    return pieces.length
  }
  eachTerm(text, take, limit)
  return terms
}

/** A term as it is looked for: in lower case, in pieces where it is long. */
export function cutTerm(term: string, is_upper: boolean): string[] {
  const lower = is_upper ? term.toLowerCase() : term
  if (lower.length <= TERM_LENGTH_LIMIT) return [lower]
  const pieces: string[] = []
  for (let at = 0; at < lower.length; at += TERM_LENGTH_LIMIT)
    pieces.push(lower.slice(at, at + TERM_LENGTH_LIMIT))
  return pieces
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
function classOf(code: number): number {
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
