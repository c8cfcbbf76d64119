import { KNOWLEDGE_KINDS, type KnowledgeHit, type KnowledgeKind } from '../knowledge.ts'
import { splitTerms } from '../words/split-terms.ts'
import { stemWord } from '../words/stem-word.ts'
import { type Leaning, leaningOf } from './leaning.ts'
import { symbolBonus } from './name-bonus.ts'
import * as weights from './ranking-weights.ts'
import type { UnderstoodQuery } from './understand-query.ts'

/** A chunk that may be a hit, with what was found out about it. */
export interface Candidate extends Omit<KnowledgeHit, 'score' | 'reasons'> {
  /** How often each term of the query counts in it, in their order. */
  readonly counts: readonly number[]
  /** Terms in its text. */
  readonly length: number
  /** Whether a tool made its document. */
  readonly is_made: boolean
  /** Likeness of its vector to the query's, from -1 to 1. */
  readonly cosine: number
}

/** By kind, how many terms a chunk has on average. */
export type AverageLengths = Readonly<Record<KnowledgeKind, number>>

/** How many chunks of a kind there are, and how many terms all of them have. */
export interface KindLength {
  readonly kind: string
  readonly chunks: number
  readonly terms: number
}

/** The average length of a chunk of each kind; 0 where there is none. */
export function averageLengths(lengths: readonly KindLength[]): AverageLengths {
  const averages = KNOWLEDGE_KINDS.map((kind) => {
    const own = lengths.filter((one) => one.kind === kind)
    const terms = own.reduce((sum, one) => sum + one.terms, 0)
    const chunks = own.reduce((sum, one) => sum + one.chunks, 0)
    return [kind, terms / Math.max(1, chunks)]
  })
  return Object.fromEntries(averages)
}

/** What all chunks together say: without it no word could be called rare and no text long. */
export interface Corpus {
  readonly chunks: number
  /** Terms in a chunk on average: a section is longer than a function, and no worse for it. */
  readonly average_lengths: AverageLengths
  /** In how many chunks each term of the query is, in their order. */
  readonly frequencies: readonly number[]
}

/** A candidate with its score, and the parts that the score is made of. */
interface Scored {
  readonly candidate: Candidate
  readonly score: number
  readonly reasons: readonly string[]
}

/** Orders candidates by words, vectors and names, and says of each what spoke for it. */
export function rankCandidates(
  query: UnderstoodQuery,
  corpus: Corpus,
  candidates: readonly Candidate[],
  limit: number,
): KnowledgeHit[] {
  const { rarity, kin, crowd } = leaningOf(query)
  const rarities = corpus.frequencies.map((frequency) => rarityOf(frequency, corpus.chunks) ** rarity)
  const scored = candidates.map((candidate) => scoreCandidate(query, corpus, rarities, candidate))
  const found = scored.filter(({ reasons }) => reasons.length > 0).toSorted(byScore)
  const backed = kin > 0 && query.form === 'open' ? backUp(found, kin) : found
  return spreadOut(backed, crowd).slice(0, limit).map(toHit)
}

function rarityOf(frequency: number, chunks: number): number {
  const inside = Math.min(frequency, chunks)
  return Math.log(1 + (chunks - inside + 0.5) / (inside + 0.5))
}

function scoreCandidate(
  query: UnderstoodQuery,
  corpus: Corpus,
  rarities: readonly number[],
  candidate: Candidate,
): Scored {
  const leaning = leaningOf(query)
  const shares = wordShares(leaning, corpus, rarities, candidate)
  const words = shares.reduce((sum, share) => sum + share, 0)
  const vector = query.form === 'open' ? leaning.vector * candidate.cosine : 0
  const symbol = symbolBonus(query, candidate)
  const parts = [
    { share: words, reason: `words: ${listWords(query, shares)}` },
    { share: symbol, reason: `${nounOf(candidate)}: ${query.literals[0] ?? candidate.name}` },
    { share: vector, reason: `vector: ${candidate.cosine.toFixed(2)}` },
  ].filter(({ share }) => share > 0)
  if (words + symbol === 0 && candidate.cosine < likenessFloor(corpus)) parts.length = 0
  const reasons = parts.toSorted((a, b) => b.share - a.share).map(({ reason }) => reason)
  if (reasons.length > 0) reasons.push(...listDrawbacks(query, candidate))
  const score = words + vector + symbol + kindBonus(query, candidate) + fileBonus(query, leaning, candidate)
  return { candidate, score: candidate.is_made ? score - weights.MADE_MALUS : score, reasons }
}

/** Among many chunks one is rather like the query by chance. */
function likenessFloor({ chunks }: Corpus): number {
  return weights.VECTOR_FLOOR + weights.VECTOR_FLOOR_GROWTH * Math.log10(Math.max(1, chunks))
}

/** What each term adds: rare ones and ones that count often add more, all together at most about 2. */
function wordShares(
  { saturation, length_share }: Leaning,
  corpus: Corpus,
  rarities: readonly number[],
  { counts, length, kind }: Candidate,
): number[] {
  const average = corpus.average_lengths[kind] || 1
  const drag = saturation * (1 - length_share + (length_share * length) / average)
  const all = rarities.reduce((sum, rarity) => sum + rarity, 0) || 1
  const there = rarities.reduce((sum, rarity, at) => sum + (counts[at] ? rarity : 0), 0)
  const coverage = 1 - weights.COVERAGE_SHARE + (weights.COVERAGE_SHARE * there) / all
  return rarities.map((rarity, at) => {
    const count = counts[at] ?? 0
    return (coverage * rarity * count * (saturation + 1)) / (count + drag) / all
  })
}

function listWords({ terms }: UnderstoodQuery, shares: readonly number[]): string {
  const found = terms
    .map(({ word }, at) => ({ word, share: shares[at] ?? 0 }))
    .filter(({ share }) => share > 0)
  return found
    .toSorted((a, b) => b.share - a.share)
    .map(({ word }) => word)
    .join(', ')
}

/** Words of the query that are not there, and whether people wrote it at all. */
function listDrawbacks({ terms }: UnderstoodQuery, { counts, is_made }: Candidate): string[] {
  const missing = terms.filter((_, at) => !counts[at]).map(({ word }) => word)
  return [
    ...(missing.length > 0 ? [`without: ${missing.join(', ')}`] : []),
    ...(is_made ? ['made by a tool'] : []),
  ]
}

const CHANGES =
  /(?:^|\/)(?:(?:change[-_]?(?:log|s)|release[-_]?(?:notes?|history)|releases|history|news|what'?s[-_]new)[^/]*|\.?(?:change(?:log|set)s?|release[-_]notes?|releases)\/.*)$/i
/** What shows, measures or declares what the code does. */
const BESIDE = /(?:^|\/)(?:_?examples?|_?samples?|snippets?|demos?|bench(?:mark(?:s|ing)?)?)\/|\.d\.[cm]?ts$/i
const TERMS_OF_USE =
  /(?:^|\/)(?:code[-_. ]of[-_. ]conduct|licen[cs]es?|copying|notice|authors|contributors|maintainers)\b[^/]*$|(?:^|\/)licen[cs]es\//i

function kindBonus(query: UnderstoodQuery, { kind, path, length, text }: Candidate): number {
  const leaning = leaningOf(query)
  if (kind === 'test') return query.asks_for_tests ? 0 : -testMalus(query)
  if (kind === 'code') return BESIDE.test(path) && !query.asks_for_examples ? -leaning.beside : 0
  if (query.form !== 'open') return 0
  if (kind === 'config') return -leaning.config
  if (kind !== 'doc') return 0
  const lean = query.leans_to_prose ? leaning.prose : -leaning.off_prose
  const thin = length < weights.THIN_WORDS || isContents(text) ? weights.THIN_MALUS : 0
  return lean - thin - (isAside(query, path) ? weights.ASIDE_MALUS : 0)
}

/** What is called so in a test is hardly ever meant by a name. */
function testMalus(query: UnderstoodQuery): number {
  return query.form === 'identifier' ? weights.NAMED_IN_TEST_MALUS : leaningOf(query).test
}

/** A table of contents has the words of each heading, and says nothing of it. */
function isContents(text: string): boolean {
  const links = text.split(/\]\(#|<a href="?#/).length - 1
  return links >= weights.CONTENTS_LINKS && links * 2 >= text.split('\n').length
}

/** What has a word on everything, and is hardly ever what is looked for. */
function isAside({ asks_for_changes, asks_for_terms }: UnderstoodQuery, path: string): boolean {
  return (!asks_for_changes && CHANGES.test(path)) || (!asks_for_terms && TERMS_OF_USE.test(path))
}

/** How much of a file's own name is in the query: that of a short name says more than that of a long one. */
function fileBonus({ form, terms }: UnderstoodQuery, { file_name }: Leaning, { path }: Candidate): number {
  if (form !== 'open' || file_name === 0) return 0
  const own = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '')
  const stems = new Set(splitTerms(own).map(stemWord))
  const found = terms.filter(({ stem }) => stems.has(stem)).length
  return stems.size === 0 ? 0 : (file_name * found) / stems.size
}

function nounOf({ kind }: Candidate): string {
  return kind === 'doc' ? 'heading' : 'symbol'
}

/** Where several parts of a document fit, each of them is a better hit: adds a share of what the others have. */
function backUp(scored: readonly Scored[], share: number): Scored[] {
  const by_path = new Map<string, number[]>()
  for (const { candidate, score } of scored) {
    const scores = by_path.get(candidate.path)
    if (scores) scores.push(score)
    else by_path.set(candidate.path, [score])
  }
  return scored
    .map((entry) => {
      const scores = by_path.get(entry.candidate.path) ?? []
      const others = scores.toSpliced(scores.indexOf(entry.score), 1)
      return { ...entry, score: entry.score + share * fadingSum(others) }
    })
    .toSorted(byScore)
}

function fadingSum(scores: readonly number[]): number {
  return scores.reduce((sum, score, at) => sum + Math.max(score, 0) * weights.KIN_FADE ** at, 0)
}

/** Lowers each further hit of a document a little more. */
function spreadOut(scored: readonly Scored[], malus: number): Scored[] {
  const seen = new Map<string, number>()
  const lowered = scored.map((entry) => {
    const before = seen.get(entry.candidate.path) ?? 0
    seen.set(entry.candidate.path, before + 1)
    return { ...entry, score: entry.score - malus * before }
  })
  return lowered.toSorted(byScore)
}

/** Equal scores are kept in the order of their places, so that the same question has the same answer. */
function byScore(a: Scored, b: Scored): number {
  if (a.score !== b.score) return b.score - a.score
  if (a.candidate.path !== b.candidate.path) return a.candidate.path < b.candidate.path ? -1 : 1
  return a.candidate.start_line - b.candidate.start_line
}

function toHit({ candidate, score, reasons }: Scored): KnowledgeHit {
  const { kind, name, path, start_line, end_line, text } = candidate
  return { kind, name, path, start_line, end_line, text, score, reasons }
}
