import type { System } from '../basics/system.ts'

/** Consonants only, so that no code is a word, and none that is mistaken for another sign. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8
/** The largest multiple of the alphabet's size in a byte: beyond it letters would not be equally likely. */
const FAIR_BELOW = 240
const DRAWN_BYTES = 32

/** A code that a person reads off one screen and types into another: `BDCF-GHJK`, about 34 bits. */
export function makeUserCode(system: System): string {
  let letters = ''
  while (letters.length < LENGTH) {
    for (const byte of Buffer.from(system.random(DRAWN_BYTES), 'hex')) {
      if (byte < FAIR_BELOW && letters.length < LENGTH) letters += LETTERS[byte % LETTERS.length]
    }
  }
  return `${letters.slice(0, 4)}-${letters.slice(4)}`
}

/** A typed code in its one form, whatever its case, spaces and dashes; undefined when it cannot be one. */
export function findUserCode(typed: string): string | undefined {
  if (typed.length > 32) return undefined
  const letters = typed.toUpperCase().replace(/[\s-]/g, '')
  if (letters.length !== LENGTH || [...letters].some((letter) => !LETTERS.includes(letter))) return undefined
  return `${letters.slice(0, 4)}-${letters.slice(4)}`
}
