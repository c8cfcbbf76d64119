// Tells the lines of a text that have to be looked at for secrets from the many that need not be: what the redactor's
// walk would stop at, found in the bytes themselves. `npm run generate` makes line-sieve.wasm of it.

import { costs, endings, lay_out, lengths, ranges, rows, tellings, text, traits } from './layout'
import { set_first_loud } from './walk'
import { put_kinds } from './words'

export { reserve } from './layout'
export { walk } from './walk'

/** Sets the memory up for an automaton; its rows and what its states tell are to be put in then. */
export function open(states: i32, first_loud: i32): void {
  lay_out(states, states - first_loud)
  set_first_loud(first_loud)
  put_kinds()
}

export function traits_place(): i32 {
  return traits
}

export function costs_place(): i32 {
  return costs
}

export function endings_place(): i32 {
  return endings
}

export function tellings_place(): i32 {
  return tellings
}

export function lengths_place(): i32 {
  return lengths
}

export function ranges_place(): i32 {
  return ranges
}

export function rows_place(): i32 {
  return rows
}

export function text_place(): i32 {
  return text
}
