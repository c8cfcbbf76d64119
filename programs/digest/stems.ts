// The stem of each term, after Porter's rules: the same as `stemWord` gives. A word is cut in the scratch room.

import { record, STEM, scratch } from './layout'
import { hash_of, id_of_scratch, length_of, letters_of } from './terms'

const SHORTEST: i32 = 3
const A: i32 = 97
const E: i32 = 101
const I: i32 = 105
const L: i32 = 108
const S: i32 = 115
const T: i32 = 116
const Y: i32 = 121
const Z: i32 = 122

/** How a word may be read: as many as there are vowels after consonants, each a bit. */
const IN_HEAD: i32 = 1
const IN_VOWELS: i32 = 2
const AFTER_PAIR: i32 = 4
const IN_NEXT_VOWELS: i32 = 8
const AFTER_TWO_PAIRS: i32 = 16

let length: i32 = 0

/** The number of the term that is a term's stem. */
// @ts-ignore: decorator
@inline
export function stem_of(id: i32): i32 {
  const known = load<i32>(record(id), STEM)
  return known != 0 ? known - 1 : learn_stem(id)
}

function learn_stem(id: i32): i32 {
  const stem = cut(id) ? id_of_scratch(length) : id
  store<i32>(record(id), stem + 1, STEM)
  return stem
}

/** The hash that a stem is packed under. */
// @ts-ignore: decorator
@inline
export function packed_hash_of(id: i32): u32 {
  return hash_of(id) << 8
}

/** Cuts a term in the scratch room; not where it is short or has other letters than those of English. */
function cut(id: i32): bool {
  length = length_of(id)
  if (length < SHORTEST) return false
  const from = letters_of(id)
  for (let at = 0; at < length; at++) {
    const code = <i32>load<u16>(from + (at << 1))
    if (code < A || code > Z) return false
    put(at, code)
  }
  cut_plural()
  cut_past()
  if (letter(length - 1) == Y && has_vowel(length - 1)) put(length - 1, I)
  replace_second()
  replace_third()
  cut_long()
  cut_end()
  return true
}

// @ts-ignore: decorator
@inline
function letter(at: i32): i32 {
  return <i32>load<u16>(scratch + (at << 1))
}

// @ts-ignore: decorator
@inline
function put(at: i32, code: i32): void {
  store<u16>(scratch + (at << 1), <u16>code)
}

function ends_with(suffix: string): bool {
  const count = suffix.length
  if (length < count) return false
  for (let at = 0; at < count; at++) if (letter(length - count + at) != suffix.charCodeAt(at)) return false
  return true
}

function append(text: string): void {
  for (let at = 0; at < text.length; at++) put(length++, text.charCodeAt(at))
}

function is_plain_vowel(code: i32): bool {
  return code == A || code == E || code == I || code == 111 || code == 117
}

/** A `y` is one after anything else than a vowel. */
function is_vowel(at: i32): bool {
  const code = letter(at)
  return is_plain_vowel(code) || (code == Y && at > 0 && !is_plain_vowel(letter(at - 1)))
}

function has_vowel(until: i32): bool {
  for (let at = 0; at < until; at++) if (is_vowel(at)) return true
  return false
}

/** All ways in which the first letters may be read; those on the way count too where only a beginning is asked for. */
function read_pairs(until: i32, is_beginning: bool): i32 {
  let ways = IN_HEAD
  let all = 0
  for (let at = 0; at < until; at++) {
    let next = 0
    if (!is_plain_vowel(letter(at))) {
      next |= ways & (IN_HEAD | AFTER_PAIR | AFTER_TWO_PAIRS)
      if (ways & IN_VOWELS) next |= AFTER_PAIR
      if (ways & IN_NEXT_VOWELS) next |= AFTER_TWO_PAIRS
    }
    if (is_vowel(at)) {
      next |= ways & (IN_VOWELS | IN_NEXT_VOWELS)
      if (ways & IN_HEAD) next |= IN_VOWELS
      if (ways & AFTER_PAIR) next |= IN_NEXT_VOWELS
    }
    ways = next
    all |= next
  }
  return is_beginning ? all : ways
}

function has_pair(until: i32): bool {
  return (read_pairs(until, true) & AFTER_PAIR) != 0
}

function has_two_pairs(until: i32): bool {
  return (read_pairs(until, true) & AFTER_TWO_PAIRS) != 0
}

function has_just_one_pair(until: i32): bool {
  return (read_pairs(until, false) & (AFTER_PAIR | IN_NEXT_VOWELS)) != 0
}

function has_short_end(until: i32): bool {
  if (until < 3) return false
  const last = letter(until - 1)
  const middle = letter(until - 2)
  if (is_plain_vowel(last) || (last >= 119 && last <= Y)) return false
  return (is_plain_vowel(middle) || middle == Y) && !is_plain_vowel(letter(until - 3))
}

function cut_plural(): void {
  if (ends_with('sses') || (length > 3 && ends_with('ies'))) length -= 2
  else if (length > 1 && letter(length - 1) == S && letter(length - 2) != S) length--
}

function cut_past(): void {
  if (ends_with('eed')) {
    if (has_pair(length - 3)) length--
    return
  }
  const rest = ends_with('ed') ? length - 2 : ends_with('ing') ? length - 3 : length
  if (rest == length || !has_vowel(rest)) return
  length = rest
  if (ends_with('at') || ends_with('bl') || ends_with('iz')) append('e')
  else if (ends_in_double()) length--
  else if (has_just_one_pair(length) && has_short_end(length)) append('e')
}

function ends_in_double(): bool {
  if (length < 2) return false
  const last = letter(length - 1)
  if (is_plain_vowel(last) || last == Y || last == L || last == S || last == Z) return false
  return letter(length - 2) == last
}

/** Whether the suffix is there; then it is replaced where a word is left without it. */
function replace(suffix: string, instead: string): bool {
  if (!ends_with(suffix)) return false
  const rest = length - suffix.length
  if (has_pair(rest)) {
    length = rest
    append(instead)
  }
  return true
}

function replace_second(): void {
  if (replace('ational', 'ate') || replace('ization', 'ize') || replace('iveness', 'ive')) return
  if (replace('fulness', 'ful') || replace('ousness', 'ous') || replace('tional', 'tion')) return
  if (replace('biliti', 'ble') || replace('entli', 'ent') || replace('ousli', 'ous')) return
  if (replace('ation', 'ate') || replace('alism', 'al') || replace('aliti', 'al')) return
  if (replace('iviti', 'ive') || replace('enci', 'ence') || replace('anci', 'ance')) return
  if (replace('izer', 'ize') || replace('bli', 'ble') || replace('alli', 'al')) return
  if (replace('ator', 'ate') || replace('logi', 'log') || replace('eli', 'e')) return
}

function replace_third(): void {
  if (replace('icate', 'ic') || replace('ative', '') || replace('alize', 'al')) return
  if (replace('iciti', 'ic') || replace('ical', 'ic') || replace('ness', '') || replace('ful', '')) return
}

function cut_long(): void {
  const suffix = find_long_suffix()
  if (suffix > 0 && has_two_pairs(length - suffix)) length -= suffix
}

function find_long_suffix(): i32 {
  if (ends_with('ement')) return 5
  if (ends_with('ance') || ends_with('ence') || ends_with('able') || ends_with('ible') || ends_with('ment'))
    return 4
  if (ends_with('ant') || ends_with('ent') || ends_with('ism') || ends_with('ate') || ends_with('iti')) return 3
  if (ends_with('ous') || ends_with('ive') || ends_with('ize')) return 3
  if (ends_with('ion') && length > 3 && (letter(length - 4) == S || letter(length - 4) == T)) return 3
  return ends_with('al') || ends_with('er') || ends_with('ic') || ends_with('ou') ? 2 : 0
}

function cut_end(): void {
  if (ends_with('e')) {
    const rest = length - 1
    if (has_two_pairs(rest) || (has_just_one_pair(rest) && !has_short_end(rest))) length = rest
  } else if (ends_with('ll') && has_two_pairs(length)) length--
}
