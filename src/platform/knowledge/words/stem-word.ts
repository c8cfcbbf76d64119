/** Shorter words are their own stems. */
const SHORTEST = 3

const CONSONANT = '(?:[^aeiou]|(?<=[aeiou])y(?![aeiou])|^y)'
const VOWEL = '(?:[aeiou]|(?<=[^aeiou])y)'
const PAIR = `${VOWEL}+${CONSONANT}+`
const HAS_VOWEL = new RegExp(VOWEL)
const ONE_OR_MORE = new RegExp(`^${CONSONANT}*${PAIR}`)
const JUST_ONE = new RegExp(`^${CONSONANT}*${PAIR}${VOWEL}*$`)
const TWO_OR_MORE = new RegExp(`^${CONSONANT}*${PAIR}${PAIR}`)
const DOUBLE = /([^aeiouylsz])\1$/
const SHORT_END = /[^aeiou][aeiouy][^aeiouwxy]$/

type Suffixes = readonly (readonly [suffix: string, instead: string])[]

const STEP_2: Suffixes = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['entli', 'ent'],
  ['ousli', 'ous'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['ator', 'ate'],
  ['logi', 'log'],
  ['eli', 'e'],
]
const STEP_3: Suffixes = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
]
const STEP_4 = /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic|ou|(?<=[st])ion)$/

/** The part of a lower-case word that its forms share, after Porter's rules: `retries` and `retry` are one. */
export function stemWord(word: string): string {
  return word.length < SHORTEST || !/^[a-z]+$/.test(word) ? word : cutSuffixes(word)
}

function cutSuffixes(word: string): string {
  const past = cutPast(cutPlural(word))
  const settled = past.endsWith('y') && HAS_VOWEL.test(past.slice(0, -1)) ? `${past.slice(0, -1)}i` : past
  return cutEnd(cutLong(replaceSuffix(replaceSuffix(settled, STEP_2), STEP_3)))
}

function cutPlural(word: string): string {
  if (/(?:ss|.i)es$/.test(word)) return word.slice(0, -2)
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word
}

function cutPast(word: string): string {
  if (word.endsWith('eed')) return ONE_OR_MORE.test(word.slice(0, -3)) ? word.slice(0, -1) : word
  const stem = word.replace(/(?:ed|ing)$/, '')
  if (stem === word || !HAS_VOWEL.test(stem)) return word
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`
  if (DOUBLE.test(stem)) return stem.slice(0, -1)
  return JUST_ONE.test(stem) && SHORT_END.test(stem) ? `${stem}e` : stem
}

function replaceSuffix(word: string, suffixes: Suffixes): string {
  const found = suffixes.find(([suffix]) => word.endsWith(suffix))
  if (!found) return word
  const stem = word.slice(0, word.length - found[0].length)
  return ONE_OR_MORE.test(stem) ? stem + found[1] : word
}

function cutLong(word: string): string {
  const stem = word.replace(STEP_4, '')
  return stem !== word && TWO_OR_MORE.test(stem) ? stem : word
}

function cutEnd(word: string): string {
  const stem = word.slice(0, -1)
  if (word.endsWith('e')) {
    const isKept = !TWO_OR_MORE.test(stem) && !(JUST_ONE.test(stem) && !SHORT_END.test(stem))
    return isKept ? word : stem
  }
  return word.endsWith('ll') && TWO_OR_MORE.test(word) ? stem : word
}
