import { LETTER_COSTS } from './letter-costs.ts'

const EDGE = 26
const SIDE = 27
const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ'
/** What a letter costs after another one, a row for the one before. */
const COSTS = Float64Array.from(LETTER_COSTS.join(''), (digit) => DIGITS.indexOf(digit) / 4)
const DIGIT_AFTER_DIGIT_BITS = 3.3
const DIGIT_AFTER_LETTER_BITS = 5
/** Enough to judge by, so that a very long token costs no more than a long one. */
const MAX_JUDGED_CHARS = 256

/**
 * How surprising the letters and digits of a text are to a reader of code and prose, in bits a character:
 * identifiers and words stay below 4.5, random text lies around 6.
 */
export function surprise(text: string, start = 0, end = text.length): number {
  let bits = 0
  let counted = 0
  let before = EDGE
  let wasDigit = false
  let wasLower = false
  const stop = Math.min(end, start + MAX_JUDGED_CHARS)
  for (let at = start; at < stop; at++) {
    const code = text.charCodeAt(at)
    const isUpper = code >= 65 && code <= 90
    if (isUpper || (code >= 97 && code <= 122)) {
      if (isUpper && wasLower) {
        bits += costOf(before, EDGE)
        before = EDGE
      }
      const letter = (code | 32) - 97
      bits += costOf(before, letter)
      before = letter
      counted++
      wasLower = !isUpper
      wasDigit = false
      continue
    }
    if (before !== EDGE) bits += costOf(before, EDGE)
    before = EDGE
    wasLower = false
    const isDigit = code >= 48 && code <= 57
    if (isDigit) {
      bits += wasDigit ? DIGIT_AFTER_DIGIT_BITS : DIGIT_AFTER_LETTER_BITS
      counted++
    }
    wasDigit = isDigit
  }
  return counted === 0 ? 0 : bits / counted
}

function costOf(before: number, letter: number): number {
  return COSTS[before * SIDE + letter] as number
}

/** All zero between two texts. */
const counts = new Uint16Array(128)
/** What so many of one character take away. */
const WEIGHTS = Float64Array.from({ length: MAX_JUDGED_CHARS + 1 }, (_, count) =>
  count === 0 ? 0 : count * Math.log2(count),
)

/** Shannon entropy in bits a character, over at most the first few hundred of them. */
export function shannon(text: string, start = 0, end = text.length): number {
  const stop = Math.min(end, start + MAX_JUDGED_CHARS)
  const length = stop - start
  if (length === 0) return 0
  for (let at = start; at < stop; at++) {
    const code = text.charCodeAt(at) & 127
    counts[code] = (counts[code] as number) + 1
  }
  let weight = 0
  for (let at = start; at < stop; at++) {
    const code = text.charCodeAt(at) & 127
    weight += WEIGHTS[counts[code] as number] as number
    counts[code] = 0
  }
  return Math.log2(length) - weight / length
}
