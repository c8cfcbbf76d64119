import { wordsOfName } from './name-words.ts'
import { surprise } from './randomness.ts'

/** Nothing but letters, and what joins or encloses words. A digit or any other sign makes it a value. */
const PLAIN = /^[<[({"'*_.-]{0,4}[A-Za-z]+(?:[-_ ./:]{1,2}[A-Za-z]+){0,11}[>\])}"'*_.!?:…-]{0,4}$/
/** Each of these says that a value is to be filled in, whatever it is called. */
const ASKING = words('your insert enter replace placeholder')
/** These say so if every other word belongs to the vocabulary of such texts. */
const STANDING = words(
  'my the some this here example examples sample dummy fake mock stub changeme changeit change redacted removed masked ' +
    'foo bar baz foobar todo tbd lorem ipsum xxx xxxx test testing real fill put goes',
)
const VOCABULARY = words(
  'a an and or of in to for with me it not no is be as value string text word name id user username admin root password passwd ' +
    'pass passphrase pwd secret secrets token tokens key keys api apikey access client auth oauth bearer jwt basic db ' +
    'database private public account service app application demo credential credentials creds login session cookie ' +
    'license project code server host email default local dev prod production staging refresh signing encryption shared ' +
    'long very super strong secure safe own new old random',
)
/** Words that are looked for where several are written as one. */
const SAYS = /fake|example|dummy|sample|changeme|placeholder|your|insert/
const MAX_CHARS = 120
const MAX_WORD_CHARS = 12
const MIN_WORD_CHARS = 3
const MAX_WORD_BITS = 5

/** Whether a value is itself a text that stands for another one, such as `your-key-here` or `<insert token>`. */
export function isStandIn(value: string): boolean {
  if (value.length > MAX_CHARS || !PLAIN.test(value)) return false
  const parts = wordsOfName(value).flatMap(partsOf)
  if (parts.some((part) => ASKING.has(part))) return parts.every((part) => isKnown(part) || isPlainWord(part))
  return parts.some((part) => STANDING.has(part)) && parts.every(isKnown)
}

/** `somefakekey` is three words, written as one. */
function partsOf(word: string): string[] {
  const whole = [word]
  if (word.length < 2 * MIN_WORD_CHARS || isKnown(word) || !SAYS.test(word)) return whole
  // For each place the words up to it, where there are any.
  const upTo: (string[] | undefined)[] = [[]]
  for (let end = 1; end <= word.length; end++)
    for (let start = Math.max(0, end - MAX_WORD_CHARS); start < end; start++) {
      const [before, part] = [upTo[start], word.slice(start, end)]
      if (before && isKnown(part)) upTo[end] = [...before, part]
    }
  return upTo[word.length] ?? whole
}

/** Whether a name is made of such words alone: `accessToken`. */
export function saysWhatItIs(name: string): boolean {
  return wordsOfName(name).every(isKnown)
}

function isKnown(word: string): boolean {
  return ASKING.has(word) || STANDING.has(word) || VOCABULARY.has(word)
}

function isPlainWord(word: string): boolean {
  return word.length >= MIN_WORD_CHARS && surprise(word) < MAX_WORD_BITS
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}
