import { splitTerms } from '../words/split-terms.ts'
import { stemWord } from '../words/stem-word.ts'

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
  /** All of its words in their order. */
  readonly wording: string
  /** Quoted texts, or the identifier: each has to be in a hit as it is. */
  readonly literals: readonly string[]
  /** Names in the query that look like ones from code, or its only word. */
  readonly identifiers: readonly string[]
  readonly leans_to_prose: boolean
  /** It asks where something is done in the code, or how it works. */
  readonly asks_for_code: boolean
  readonly asks_for_tests: boolean
  readonly asks_for_examples: boolean
  readonly asks_for_changes: boolean
  /** It asks who may do what with the project: its licence, its authors, its rules of conduct. */
  readonly asks_for_terms: boolean
  /** It reads like the subject of a commit, or a task: `fix(box): …`, `Add …`, `Make …`. */
  readonly tells_of_change: boolean
}

const COMMON = new Set(
  (
    'a an the of to in on for and or is are be was were by with as at it its this that these those from if then ' +
    'else when which will can may not no do does has have had into than so such we you i he she they there ' +
    'their your our us but also any all each other some only same own too very just'
  ).split(' '),
)
/** Words that make a question, and words for where anything is: they say nothing of what is asked about. */
const ASKING = new Set(
  (
    'how what where why who whose whom whether there here should would could happen happens happened ' +
    'implemented implementation located defined done decide decides responsible place code codebase'
  ).split(' '),
)
const QUOTED = /"([^"]{1,500})"/g
/** With a smaller share of its words in quotes a query is a sentence that quotes something. */
const QUOTED_SHARE = 0.5
const IDENTIFIER = /^[$@#]?[A-Za-z_][\w$]*(?:(?:\.|::|->|#|\/)[\w$]+)*(?:\(\))?$/
const MARKED = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}|[a-zA-Z]_|_[a-zA-Z]|\.|::|->|#|\/|\d|\(\)|^\$/
const QUESTION = /\?\s*$|^(?:how|what|why|where|which|who)\b/i
/** How to use something, or what it is: a document says that. */
const USE_QUESTION = new RegExp(
  [
    'how (?:do|can|could|should|would|must|may) (?:i|we|you|one)\\b|^how to\\b',
    '^(?:can|could|may|should|must) (?:i|we|you|one)\\b|^is (?:it possible|there an?)\\b',
    '^what (?:is|are) (?:an?|the (?:purpose|difference|meaning|point|idea|goals?))\\b|^what (?:is|are) \\S+\\s*\\?*$',
    '\\bwhat does .{1,80} (?:mean|stand for)\\b|^(?:why|when) (?:should|would|to|use)\\b',
    '^which .{1,80} (?:are|is) supported\\b',
  ].join('|'),
  'i',
)
/** Words that descriptions of functions and of changes begin with. */
const ACT =
  /^(?:\w+s|add|fix|make|use|update|remove|set|get|create|return|check|convert|run|find|do|allow|support|move|rename|improve|refactor|feat|chore|test|build|ci|perf|style|revert|docs)[:(]?$/i
/** What a change is of, as in `fix(box):` and `docs:`. */
const CHANGE_KIND = /^[\w/.-]+(?:\([^)]{0,60}\))?!?:(?=\s)/
/** Said of a change, not of what is changed. */
const CHANGE_WORD = new RegExp(
  `^(?:${[
    'add(?:ed|ing)?|fix(?:e[sd]|ing)?|bump(?:ed|ing)?|drop(?:ped)?|merged?|reverted|correct(?:ed)?|tweak(?:s|ed)?',
    '(?:updat|improv|renam|introduc|deprecat|upgrad|replac|chang|mov|remov)(?:e|ed|ing)|simplif(?:y|ied|ying)',
    'refactor(?:ed|ing)?|revert|clean(?:ed|s)? ?up',
  ].join('|')})\\b`,
  'i',
)
/** Begins the telling of a change as well, and is a part of what is told. */
const TASK_WORD = new RegExp(
  `^(?:${[
    'use|make|made|avoid|implement(?:ed)?|document(?:ed)?|disable|ignore|mention|clarif(?:y|ied)|annotate|allow|skip',
    'adjust(?:ed)?|stop|polish|expose|prevent|modif(?:y|ied)|suppress|optimi[sz]e|switch|reduce|reformat|reject',
    "restore|silence|revise|minor|do not|don'?t",
  ].join('|')})(?=\\s)`,
  'i',
)
/** Said of changes only, wherever in a query. */
const TASK_SIGN = /\b(?:typos?|nits?|wip|clean-?ups?|refactoring|javadocs?|docstrings?)\b/i
/** What git calls a change that takes back another one: the quotes are no quotes. */
const REVERT = /^(revert) "(.+)"$/i
/** With fewer terms a word for a change may well be what is looked for, as in `add user`. */
const CHANGE_TERMS = 4
const DOCS = /\b(?:docs?|documentation|readme)\b|\.(?:mdx?|rst|txt)\b/i
const TESTS = /\b(?:tests?|specs?|e2e)\b|Tests?$/i
const EXAMPLES = /\b(?:examples?|samples?|demos?|snippets?|benchmarks?)\b/i
const CHANGES =
  /\b(?:change ?logs?|release (?:notes?|history)|what'?s new|new in|breaking changes?|(?:changed|changes) (?:in|since|between) (?:v?\d|the (?:last|latest)))\b|^(?:changes|releases?|history)$/i
const TERMS_OF_USE =
  /\b(?:conduct|harass\w*|licen[cs]\w*|copyright\w*|legal|notices?|authors?|maintain(?:s|ers?)|contribut\w*)\b/i
const HEADING_WORDS = 5
const TITLE_SHARE = 0.6

/** Reads the form of a query: quoted text and names from code are looked for as they are. */
export function understandQuery(query: string): UnderstoodQuery {
  const text = query.slice(0, QUERY_LENGTH_LIMIT).trim().replace(REVERT, '$1 $2')
  const literals = readQuotes(text)
  const tokens = text.split(/\s+/).map(trimMarks)
  // A single word may be a name as it is.
  const identifiers = tokens.filter(
    (token) => isIdentifier(token) || (tokens.length === 1 && IDENTIFIER.test(token)),
  )
  const change = readChange(text)
  const leans_to_prose = leansToProse(text, change.kind)
  const isOne = literals.length === 0 && isIdentifier(trimMarks(text))
  return {
    form: literals.length > 0 ? 'quoted' : isOne ? 'identifier' : 'open',
    terms: readQueryTerms(text),
    wording: readWording(text),
    literals: isOne ? [trimMarks(text).replace(/\(\)$/, '')] : literals,
    identifiers: identifiers.slice(0, PHRASE_LIMIT).map((name) => name.replace(/\(\)$/, '')),
    leans_to_prose,
    asks_for_code: QUESTION.test(text) && !leans_to_prose,
    asks_for_tests: TESTS.test(text),
    asks_for_examples: EXAMPLES.test(text),
    asks_for_changes: CHANGES.test(text),
    asks_for_terms: TERMS_OF_USE.test(text),
    tells_of_change: change.is_told,
  }
}

function readQuotes(text: string): string[] {
  const quoted = [...text.matchAll(QUOTED)].slice(0, PHRASE_LIMIT).map(([, literal = '']) => literal)
  const words = quoted.flatMap((literal) => splitTerms(literal)).length
  if (words === 0 || words < splitTerms(text).length * QUOTED_SHARE) return []
  return quoted.filter((literal) => splitTerms(literal).length > 0)
}

/** The parts of a query that say that it is about a change; there may be a picture before them. */
function readChange(text: string): { kind: string; word: string; is_told: boolean } {
  const plain = text.replace(/^[^\p{L}\p{N}]+/u, '')
  const kind = CHANGE_KIND.exec(plain)?.[0] ?? ''
  const word = CHANGE_WORD.exec(plain.slice(kind.length).trimStart())?.[0] ?? ''
  const is_task = TASK_WORD.test(plain) || (TASK_SIGN.test(plain) && !QUESTION.test(plain))
  return { kind, word: word.toLowerCase(), is_told: kind !== '' || word !== '' || is_task }
}

/** The terms of a text as those of a query are read, each once. */
export function readQueryTerms(text: string): QueryTerm[] {
  const words = splitTerms(text, TERM_LIMIT)
  const is_asked = QUESTION.test(text)
  const telling = words.filter((word) => !COMMON.has(word) && !(is_asked && ASKING.has(word)))
  const terms = new Map<string, QueryTerm>()
  for (const word of telling.length > 0 ? telling : words) {
    const stem = stemWord(word)
    if (!terms.has(stem)) terms.set(stem, { word, stem })
  }
  if (terms.size >= CHANGE_TERMS) terms.delete(stemWord(readChange(text).word))
  return [...terms.values()]
}

/** A text by its words alone; that a test is one says nothing. */
export function readWording(text: string): string {
  const words = splitTerms(text, TERM_LIMIT).filter((word) => word !== 'test')
  return words.join(' ')
}

function trimMarks(token: string): string {
  return token.replace(/^[^\w$@#]+|[,;:!?.]+$/g, '')
}

function isIdentifier(token: string): boolean {
  return IDENTIFIER.test(token) && MARKED.test(token)
}

function leansToProse(text: string, change_kind: string): boolean {
  if (USE_QUESTION.test(text) || DOCS.test(text)) return true
  if (QUESTION.test(text)) return false
  const words = text.split(/\s+/)
  if (words.filter((word) => /^[A-Z]/.test(word)).length >= words.length * TITLE_SHARE) return true
  const isAct = ACT.test(words[0] ?? '') || change_kind !== ''
  return words.length <= HEADING_WORDS && !isAct
}
