import { findSlot } from './chunk-columns.ts'
import { hashStem, unpackCounts } from './chunk-terms.ts'
import type { Connection } from './embedded-schema.ts'
import { findHighest } from './find-highest.ts'
import type { HeldVectors, Reach } from './held-vectors.ts'
import { type FindChunk, openKeptChunks } from './kept-chunks.ts'
import type { KnowledgeHit, KnowledgeScope } from './knowledge.ts'
import { type Candidate, rankCandidates } from './rank-candidates.ts'
import { FIELD_WEIGHTS } from './ranking-weights.ts'
import { VECTOR_LENGTH } from './scale-vector.ts'
import { splitTerms } from './split-terms.ts'
import { stemWord } from './stem-word.ts'
import { type UnderstoodQuery, understandQuery } from './understand-query.ts'

/** So many chunks are looked at closely that have the words, and so many that have the nearest vectors. */
const WORD_CANDIDATES = 200
const VECTOR_CANDIDATES = 150
/** More where letters have to fit and most chunks with the words may not do. */
const LITERAL_CANDIDATES = 1_000

/** A question to an index, with its vector. */
export interface IndexQuestion {
  readonly query: string
  readonly vector: Int8Array
  readonly scope: KnowledgeScope
  readonly limit: number
}

const { body, name, owner, path } = FIELD_WEIGHTS
const ORDER = `ORDER BY bm25(words, ${body}, ${name}, ${owner}, ${path}) LIMIT ?`

function prepare(connection: Connection) {
  return {
    match: connection.prepare(`SELECT rowid FROM words WHERE words MATCH ? ${ORDER}`).pluck(),
    matchInReach: connection
      .prepare(`SELECT rowid FROM words WHERE words MATCH ? AND in_reach(rowid) ${ORDER}`)
      .pluck(),
    countChunks: connection.prepare('SELECT doc FROM stems WHERE term = ?').pluck(),
  }
}

/** Answers questions to an open index. */
export function openIndexSearch(connection: Connection, held: HeldVectors) {
  let reach: Reach | undefined
  connection.function('in_reach', (chunk_id) => {
    const slot = findSlot(held.columns, chunk_id as number)
    return slot !== undefined && reach?.(slot) ? 1 : 0
  })
  const statements = prepare(connection)
  const readChunks = openKeptChunks(connection)
  const matchWords = (expression: string, limit: number): number[] => {
    if (expression === '') return []
    return (reach ? statements.matchInReach : statements.match).all(expression, limit) as number[]
  }
  const findCandidate = (
    hashes: readonly number[],
    findChunk: FindChunk,
    chunk_id: number,
    dots?: Int32Array,
  ) => {
    const slot = findSlot(held.columns, chunk_id)
    const chunk = slot !== undefined && findChunk(held.columns.documents[slot] as number, chunk_id)
    if (!chunk) return []
    const candidate: Candidate = {
      ...chunk,
      counts: unpackCounts(chunk.counts, hashes),
      length: held.columns.lengths[slot] as number,
      cosine: dots ? (dots[slot] as number) / VECTOR_LENGTH ** 2 : 0,
    }
    return [candidate]
  }
  const answer = ({ query: asked, vector, scope, limit }: IndexQuestion): KnowledgeHit[] => {
    const query = understandQuery(asked)
    held.refresh()
    reach = held.reachOf(scope)
    const dots = query.form === 'open' && vector.some(Boolean) ? held.scan(vector) : undefined
    const ids = new Set(findByWords(query, matchWords))
    const nearest = dots ? findHighest(dots, held.columns.size, VECTOR_CANDIDATES, reach) : []
    for (const slot of nearest) ids.add(held.columns.chunks[slot] as number)
    const [hashes, findChunk] = [query.terms.map(({ stem }) => hashStem(stem)), readChunks()]
    const candidates = [...ids]
      .flatMap((id) => findCandidate(hashes, findChunk, id, dots))
      .filter(({ text }) => hasLiterals(query, text))
    const frequencies = query.terms.map(({ stem }) => Number(statements.countChunks.get(stem) ?? 0))
    return rankCandidates(query, { ...held.statistics, frequencies }, candidates, limit)
  }
  // In one transaction everything is read from the same state of the file.
  return connection.transaction(answer)
}

function findByWords(
  query: UnderstoodQuery,
  match: (expression: string, limit: number) => number[],
): number[] {
  const any = query.terms.map(({ stem }) => quote(stem)).join(' OR ')
  if (query.form === 'open') return match(any, WORD_CANDIDATES)
  const found = match(query.literals.map(quoteStems).join(' AND '), LITERAL_CANDIDATES)
  return found.length > 0 || query.form === 'quoted' ? found : match(any, WORD_CANDIDATES)
}

/** Whether a text has what was quoted, letter by letter but for capitals. */
export function hasLiterals(query: UnderstoodQuery, text: string): boolean {
  if (query.form !== 'quoted') return true
  const lower = text.toLowerCase()
  return query.literals.every((literal) => lower.includes(literal.toLowerCase()))
}

function quoteStems(literal: string): string {
  return quote(splitTerms(literal).map(stemWord).join(' '))
}

function quote(stems: string): string {
  return `"${stems}"`
}
