import { splitTerms } from './split-terms.ts'
import { stemWord } from './stem-word.ts'

const QUERY_LENGTH_LIMIT = 2_000
const TERM_LIMIT = 60
const PHRASE_LIMIT = 8

/** A word of the query with the stem that stands for it. */
export interface QueryTerm {
  readonly word: string
  readonly stem: string
}

/** What a query asks for, read from its form. */
export interface UnderstoodQuery {
  /** Only `open` questions are asked of the vectors: the other two mean their letters. */
  readonly form: 'open' | 'quoted' | 'identifier'
  /** Without the words that every text has, unless there are no others. */
  readonly terms: readonly QueryTerm[]
  /** Quoted texts, or the identifier: each has to be in a hit as it is. */
  readonly literals: readonly string[]
  /** Names in the query that look like ones from code. */
  readonly identifiers: readonly string[]
  readonly leans_to_prose: boolean
  readonly asks_for_tests: boolean
  readonly asks_for_changes: boolean
}

const COMMON = new Set(
  (
    'a an the of to in on for and or is are be was were by with as at it its this that these those from if then ' +
    'else when which will can may not no do does has have had into than so such we you i he she they there ' +
    'their your our us but also any all each other some only same own too very just'
  ).split(' '),
)
const QUOTED = /"([^"]{1,500})"/g
/** With a smaller share of its words in quotes a query is a sentence that quotes something. */
const QUOTED_SHARE = 0.5
const IDENTIFIER = /^[$@#]?[A-Za-z_][\w$]*(?:(?:\.|::|->|#|\/)[\w$]+)*(?:\(\))?$/
const MARKED = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}|[a-zA-Z]_|_[a-zA-Z]|\.|::|->|#|\/|\d|\(\)|^\$/
const QUESTION = /\?\s*$|^(?:how|what|why|when|where|which|who|can)\b/i
/** Words that descriptions of functions and of changes begin with. */
const ACT =
  /^(?:\w+s|add|fix|make|use|update|remove|set|get|create|return|check|convert|run|find|do|allow|support|move|rename|improve|refactor|feat|chore|test|build|ci|perf|style|revert|docs)[:(]?$/i
const TESTS = /\b(?:tests?|specs?|e2e)\b|Tests?$/i
const CHANGES = /\b(?:change ?logs?|release notes?|releases?|changes?|history|new in|breaking)\b/i
const HEADING_WORDS = 5
const TITLE_SHARE = 0.6

/** Reads the form of a query: quoted text and names from code are looked for as they are. */
export function understandQuery(query: string): UnderstoodQuery {
  const text = query.slice(0, QUERY_LENGTH_LIMIT).trim()
  const literals = readQuotes(text)
  const identifiers = text.split(/\s+/).map(trimMarks).filter(isIdentifier)
  const isOne = literals.length === 0 && isIdentifier(trimMarks(text))
  return {
    form: literals.length > 0 ? 'quoted' : isOne ? 'identifier' : 'open',
    terms: readTerms(text),
    literals: isOne ? [trimMarks(text).replace(/\(\)$/, '')] : literals,
    identifiers: identifiers.slice(0, PHRASE_LIMIT).map((name) => name.replace(/\(\)$/, '')),
    leans_to_prose: leansToProse(text),
    asks_for_tests: TESTS.test(text),
    asks_for_changes: CHANGES.test(text),
  }
}

function readQuotes(text: string): string[] {
  const quoted = [...text.matchAll(QUOTED)].slice(0, PHRASE_LIMIT).map(([, literal = '']) => literal)
  const words = quoted.flatMap((literal) => splitTerms(literal)).length
  if (words === 0 || words < splitTerms(text).length * QUOTED_SHARE) return []
  return quoted.filter((literal) => splitTerms(literal).length > 0)
}

function readTerms(text: string): QueryTerm[] {
  const words = splitTerms(text, TERM_LIMIT)
  const telling = words.filter((word) => !COMMON.has(word))
  const terms = new Map<string, QueryTerm>()
  for (const word of telling.length > 0 ? telling : words) {
    const stem = stemWord(word)
    if (!terms.has(stem)) terms.set(stem, { word, stem })
  }
  return [...terms.values()]
}

function trimMarks(token: string): string {
  return token.replace(/^[^\w$@#]+|[,;:!?.]+$/g, '')
}

function isIdentifier(token: string): boolean {
  return IDENTIFIER.test(token) && MARKED.test(token)
}

function leansToProse(text: string): boolean {
  if (QUESTION.test(text)) return true
  const words = text.split(/\s+/)
  if (words.filter((word) => /^[A-Z]/.test(word)).length >= words.length * TITLE_SHARE) return true
  const isAct = ACT.test(words[0] ?? '') || /^\w+(?:\([^)]{0,60}\))?!?:/.test(text)
  return words.length <= HEADING_WORDS && !isAct
}
