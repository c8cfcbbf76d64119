import {
  KNOWLEDGE_KINDS,
  type KnowledgeHit,
  type KnowledgeKind,
  type KnowledgeScope,
} from '../../knowledge.ts'
import { type Candidate, rankCandidates } from '../../ranking/rank-candidates.ts'
import { FIELD_WEIGHTS } from '../../ranking/ranking-weights.ts'
import { type UnderstoodQuery, understandQuery } from '../../ranking/understand-query.ts'
import { findHighest, VECTOR_LENGTH } from '../../vectors/vector-scan.ts'
import { readCounts } from '../../words/chunk-terms.ts'
import { splitTerms } from '../../words/split-terms.ts'
import { stemWord } from '../../words/stem-word.ts'
import { IndexDamaged } from './damaged-index.ts'
import type { Connection } from './embedded-schema.ts'
import { findSlot, type HeldVectors, type Reach } from './held-vectors.ts'

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

/** A chunk as its row has it, if the file is sound. */
interface StoredChunk extends Omit<KnowledgeHit, 'kind' | 'score' | 'reasons'> {
  readonly kind: number
  readonly counts: Uint8Array
}

const { body, name, owner, path } = FIELD_WEIGHTS
const ORDER = `ORDER BY bm25(words, ${body}, ${name}, ${owner}, ${path}) LIMIT ?`

function prepare(connection: Connection) {
  return {
    match: connection.prepare(`SELECT rowid FROM words WHERE words MATCH ? ${ORDER}`).pluck(),
    matchInReach: connection
      .prepare(`SELECT rowid FROM words WHERE words MATCH ? AND in_reach(rowid) ${ORDER}`)
      .pluck(),
    findChunk: connection.prepare(
      `SELECT d.path, c.kind, c.name, c.start_line, c.end_line, c.counts, c.text
       FROM chunks c JOIN documents d ON d.id = c.document_id WHERE c.id = ?`,
    ),
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
  const matchWords = (expression: string, limit: number): number[] => {
    if (expression === '') return []
    return (reach ? statements.matchInReach : statements.match).all(expression, limit) as number[]
  }
  const findCandidate = ({ terms }: UnderstoodQuery, id: number, dots?: Int32Array): Candidate[] => {
    const slot = findSlot(held.columns, id)
    const row = slot !== undefined && (statements.findChunk.get(id) as StoredChunk | undefined)
    if (!row) return []
    if (!isSoundChunk(row)) throw new IndexDamaged(connection.name, 'a row of it is none')
    const kind = KNOWLEDGE_KINDS[row.kind] as KnowledgeKind
    const cosine = dots ? (dots[slot] as number) / VECTOR_LENGTH ** 2 : 0
    const length = held.columns.lengths[slot] as number
    return [{ ...row, kind, ...readCounts(row.counts, terms), length, cosine }]
  }
  const answer = ({ query: asked, vector, scope, limit }: IndexQuestion): KnowledgeHit[] => {
    const query = understandQuery(asked)
    held.refresh()
    reach = held.reachOf(scope)
    const dots = query.form === 'open' && vector.some(Boolean) ? held.scan(vector) : undefined
    const ids = new Set(findByWords(query, matchWords))
    const nearest = dots ? findHighest(dots, held.columns.size, VECTOR_CANDIDATES, reach) : []
    for (const slot of nearest) ids.add(held.columns.chunks[slot] as number)
    const candidates = [...ids]
      .flatMap((id) => findCandidate(query, id, dots))
      .filter(({ text }) => hasLiterals(query, text))
    const frequencies = query.terms.map(({ stem }) => Number(statements.countChunks.get(stem) ?? 0))
    return rankCandidates(query, { ...held.statistics, frequencies }, candidates, limit)
  }
  // In one transaction everything is read from the same state of the file.
  return connection.transaction(answer)
}

/** SQLite keeps whatever is given to it in any column. */
function isSoundChunk({
  kind,
  counts,
  start_line,
  end_line,
  path: file,
  name: symbol,
  text,
}: StoredChunk): boolean {
  return (
    kind in KNOWLEDGE_KINDS &&
    counts instanceof Uint8Array &&
    [start_line, end_line].every(Number.isSafeInteger) &&
    [file, symbol, text].every((one) => typeof one === 'string')
  )
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
