import type { AnchorTable } from './anchor-table.ts'

/** Kinds of token characters: letters beyond hexadecimal, other letters and signs, digits. */
export const KIND_UNIT = 64
export const CLASS_BITS = KIND_UNIT - 1
const FAR_LETTER = KIND_UNIT
const OTHER_TOKEN = KIND_UNIT * 2
export const DIGIT = KIND_UNIT * 4
export const RANDOM = FAR_LETTER | DIGIT

/** For each ASCII character, and for all others in the last place: its class for the anchors and its kind. */
export function traitTable({ classes, other }: AnchorTable['anchors']): Uint16Array {
  const traits = new Uint16Array(129).fill(other)
  classes.forEach((letter, code) => {
    traits[code] = letter | kindOf(String.fromCharCode(code))
  })
  return traits
}

/** The kind of a character that tokens are made of; 0 for all others. */
function kindOf(char: string): number {
  if (/[G-Zg-z]/.test(char)) return FAR_LETTER
  if (/[0-9]/.test(char)) return DIGIT
  return /[A-Fa-f+/_.~-]/.test(char) ? OTHER_TOKEN : 0
}
