import { splitName } from '../words/chunk-terms.ts'
import { splitTerms } from '../words/split-terms.ts'
import { stemWord } from '../words/stem-word.ts'
import { leaningOf } from './leaning.ts'
import type { Candidate } from './rank-candidates.ts'
import * as weights from './ranking-weights.ts'
import { readQueryTerms, readWording, type UnderstoodQuery } from './understand-query.ts'

const DEFINES =
  '(?:class|interface|struct|enum|trait|type|const|let|var|val|static|def|fn|func|function|fun|module|mod|namespace|object|record|protocol|define|macro_rules!)\\s+'

/** A method as interfaces have it: words for what it answers, and its name behind them. */
const DECLARES =
  '^[ \\t]*(?!(?:return|new|await|throw|else|yield|case)\\b)(?:[\\w<>[\\],.?]{1,80}[ \\t*&]{1,4}){1,8}'

/**
 * A name that is just what was asked for comes first, then a line that defines it, then one that has it; a
 * heading or a name with just the words of the query comes before others that have them among more.
 */
export function symbolBonus(query: UnderstoodQuery, candidate: Candidate): number {
  if (query.form === 'quoted') return 0
  const [own] = splitName(candidate)
  if (candidate.kind === 'doc') return hasSameWords(query, readStems(own)) ? weights.SAME_WORDS_BONUS : 0
  const title = candidate.kind === 'test' ? titleBonus(query, candidate.name, own) : 0
  if (title > 0) return title
  const asked = query.identifiers.find((identifier) => isNamed(candidate.name, own, identifier))
  if (asked !== undefined) return nameBonus(query, own, candidate)
  if (query.form === 'identifier') return mentionBonus(query.literals[0] ?? '', candidate.text)
  return hasSameWords(query, splitTerms(own).map(stemWord)) ? weights.SAME_WORDS_BONUS : 0
}

/** Of all that is called so, what has a comment comes before what has none, and a long one's beginning before its rest. */
function nameBonus(query: UnderstoodQuery, own: string, { text }: Candidate): number {
  const is_all = query.form === 'identifier' || query.terms.length === 1
  if (!is_all) return leaningOf(query).mention
  const bonus = query.form === 'identifier' ? weights.SYMBOL_BONUS : weights.ONE_WORD_BONUS
  if (!text.includes(own)) return bonus - weights.LATER_PART_MALUS
  return DOCUMENTED.test(text) ? bonus + weights.DOCUMENTED_BONUS : bonus
}

/** A comment before the first line, or a text between three quotes after it. */
const DOCUMENTED = /^\s*(?:\/[/*]|#(?![![])|--)|^(?:.*\n){1,4}\s*[rbu]*(?:"""|''')/i

function isNamed(name: string, own: string, identifier: string): boolean {
  const plain = identifier.replace(/::|->|#|\//g, '.').replace(/^[$@]/, '')
  return own === plain || name === plain || name.endsWith(`.${plain}`)
}

function mentionBonus(identifier: string, text: string): number {
  const escaped = identifier.replace(/[^\w]/g, '\\$&')
  if (new RegExp(`(?:^|[^\\w])${DEFINES}${escaped}(?![\\w])`).test(text)) return weights.DEFINITION_BONUS
  if (new RegExp(`${DECLARES}${escaped}[ \\t]*\\(`, 'm').test(text)) return weights.DECLARATION_BONUS
  return new RegExp(`(?<![\\w])${escaped}(?![\\w])`).test(text) ? weights.MENTION_BONUS : 0
}

/** A heading is read as a query is: it is the same with and without small words. */
function readStems(heading: string): string[] {
  return readQueryTerms(heading).map(({ stem }) => stem)
}

function hasSameWords({ terms }: UnderstoodQuery, own: readonly string[]): boolean {
  const stems = new Set(own)
  return stems.size > 0 && stems.size === terms.length && terms.every(({ stem }) => stems.has(stem))
}

/** Given to a test whose title a query is, with what leads to it or without; more where it is that word for word. */
function titleBonus(query: UnderstoodQuery, name: string, own: string): number {
  const { wording } = query
  if (wording.split(' ').length >= weights.TITLE_WORDS && isWording(name, wording))
    return weights.TITLE_BONUS + weights.WORDING_BONUS
  return query.asks_for_code ? 0 : sharedTitleBonus(query, name, own)
}

/** A title may have points in it, as there are between names. */
function isWording(name: string, wording: string): boolean {
  for (let at = name.length; at !== -1; at = at === 0 ? -1 : name.lastIndexOf('.', at - 1))
    if (readWording(name.slice(at + 1)) === wording) return true
  return readWording(name) === wording
}

function sharedTitleBonus({ terms }: UnderstoodQuery, name: string, own: string): number {
  const asked = new Set(terms.map(({ stem }) => stem).filter((stem) => stem !== TEST))
  const whole = new Set(readStems(name))
  const shared = [...asked].filter((stem) => whole.has(stem)).length
  const title = readStems(own).filter((stem) => stem !== TEST)
  if (title.length < 2 || !title.every((stem) => asked.has(stem)) || shared * 2 <= asked.size) return 0
  if (title.length >= weights.TITLE_WORDS) return (weights.TITLE_BONUS * shared) / asked.size
  return title.length === asked.size ? weights.SHORT_TITLE_BONUS : 0
}

const TEST = 'test'
