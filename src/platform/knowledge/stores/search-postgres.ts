import { type Database, type Reader, sql } from '../../storage/database.ts'
import { KNOWLEDGE_KINDS, type KnowledgeHit, type KnowledgeKind, type KnowledgeScope } from '../knowledge.ts'
import {
  averageLengths,
  type Candidate,
  type Corpus,
  type KindLength,
  rankCandidates,
} from '../ranking/rank-candidates.ts'
import { FIELD_WEIGHTS } from '../ranking/ranking-weights.ts'
import { type UnderstoodQuery, understandQuery } from '../ranking/understand-query.ts'
import { VECTOR_LENGTH } from '../vectors/vector-scan.ts'
import { readCounts } from '../words/chunk-terms.ts'
import { splitTerms } from '../words/split-terms.ts'
import { stemWord } from '../words/stem-word.ts'
import { hasLiterals, type IndexQuestion } from './embedded/search-index.ts'
import { type ChunkPlace, holdVectors } from './postgres-vectors.ts'
import { renderPhraseQuery, renderTermQuery } from './postgres-words.ts'

/** So many chunks are looked at closely that have the words, and so many that have the nearest vectors. */
const WORD_CANDIDATES = 300
const VECTOR_CANDIDATES = 150
const LITERAL_CANDIDATES = 1_000

const { body, name, owner, path } = FIELD_WEIGHTS
const HIGHEST = Math.max(body, name, owner, path)
/** In PostgreSQL's order, from D to A, and none above 1. */
const WEIGHTS = `{${[body, path, owner, name].map((weight) => weight / HIGHEST).join(',')}}`

interface Found {
  path: string
  place: number
  kind: string
  name: string
  start_line: number
  end_line: number
  length: number
  counts: string
  vector: string
  text: string
}

const findRevision = sql<{ revision: number }>('SELECT revision FROM knowledge_spaces WHERE space = ?')
const measure = sql<KindLength>(
  `SELECT kind, COUNT(*) AS chunks, SUM(length)::float8 AS terms FROM knowledge_chunks
   WHERE space = ? GROUP BY kind`,
)
const countEach = sql<{ chunks: number }>(
  `SELECT (SELECT COUNT(*) FROM knowledge_chunks c WHERE c.space = ? AND c.words @@ t.query::tsquery) AS chunks
   FROM json_array_elements_text(?::json) WITH ORDINALITY AS t (query, at) ORDER BY t.at`,
)
const SELECT_CHUNK = `SELECT c.path, c.place, c.kind, c.name, c.start_line, c.end_line, c.length,
     encode(c.counts, 'base64') AS counts, encode(c.vector, 'base64') AS vector, c.text
   FROM knowledge_chunks c`
// First those whose words are rare, then those where they stand in a better place. The last parameters are the scope.
const matching = sql<Found>(
  `${SELECT_CHUNK}
   WHERE c.space = ? AND c.words @@ ?::tsquery
     AND EXISTS (SELECT 1 FROM json_array_elements_text(?::json) AS p (prefix) WHERE starts_with(c.path, p.prefix))
     AND c.kind IN (SELECT json_array_elements_text(?::json) COLLATE "C")
   ORDER BY (SELECT SUM(t.rarity) FROM json_to_recordset(?::json) AS t (query TEXT, rarity FLOAT8)
       WHERE c.words @@ t.query::tsquery) DESC NULLS LAST,
     ts_rank('${WEIGHTS}', c.words, ?::tsquery, 1) DESC, c.path, c.place
   LIMIT ?`,
)

const atPlaces = sql<Found>(
  `${SELECT_CHUNK} JOIN json_to_recordset(?::json) AS n (path TEXT, place BIGINT)
     ON c.path = n.path COLLATE "C" AND c.place = n.place
   WHERE c.space = ?`,
)

type Statistics = Omit<Corpus, 'frequencies'>

/** Answers questions to one space of a hub's PostgreSQL. */
export function openPostgresSearch(db: Database, space: string) {
  const statisticsOf = keepStatistics(db, space)
  const findNearest = holdVectors(db, space)
  return async ({ query: text, vector, scope, limit }: IndexQuestion): Promise<KnowledgeHit[]> => {
    const query = understandQuery(text)
    if (query.terms.length === 0 || scope.prefixes.length === 0 || scope.kinds?.length === 0) return []
    const statistics = await statisticsOf()
    const queries = query.terms.map(renderTermQuery)
    const frequencies = (await db.all(countEach, space, JSON.stringify(queries))).map(({ chunks }) => chunks)
    const corpus: Corpus = { ...statistics, frequencies }
    const rarities = JSON.stringify(queries.map((one, at) => ({ query: one, rarity: rarityOf(corpus, at) })))
    const match = (wanted: string, most: number) => find(db, space, wanted, { scope, rarities, limit: most })
    const rows = await findByWords(query, match)
    const isByVector = query.form === 'open' && vector.some(Boolean)
    const nearest = isByVector ? await findNearest(vector, scope, VECTOR_CANDIDATES) : []
    const candidates = [...rows, ...(await findOthers(db, space, nearest, rows))]
      .filter((row) => hasLiterals(query, row.text))
      .map((row) => candidateOf(row, query, vector))
    return rankCandidates(query, corpus, candidates, limit)
  }
}

/** What all chunks together say is counted anew when the space has changed. */
function keepStatistics(db: Reader, space: string): () => Promise<Statistics> {
  let known: { revision: number; statistics: Statistics } | undefined
  return async () => {
    const revision = (await db.get(findRevision, space))?.revision ?? 0
    if (known?.revision === revision) return known.statistics
    const lengths = await db.all(measure, space)
    const chunks = lengths.reduce((sum, one) => sum + one.chunks, 0)
    const statistics = { chunks, average_lengths: averageLengths(lengths) }
    known = { revision, statistics }
    return statistics
  }
}

function rarityOf({ chunks, frequencies }: Corpus, at: number): number {
  const inside = Math.min(frequencies[at] ?? 0, chunks)
  return Math.log(1 + (chunks - inside + 0.5) / (inside + 0.5))
}

interface Wanted {
  readonly scope: KnowledgeScope
  readonly rarities: string
  readonly limit: number
}

function find(
  db: Reader,
  space: string,
  query: string,
  { scope, rarities, limit }: Wanted,
): Promise<Found[]> {
  const prefixes = JSON.stringify(scope.prefixes.map((prefix) => prefix.toWellFormed().replaceAll('\0', ' ')))
  const kinds = JSON.stringify(scope.kinds ?? KNOWLEDGE_KINDS)
  return db.all(matching, space, query, prefixes, kinds, rarities, query, limit)
}

/** The chunks at these places that are not among those that were found by their words. */
async function findOthers(
  db: Reader,
  space: string,
  nearest: readonly ChunkPlace[],
  rows: readonly Found[],
): Promise<Found[]> {
  const others = new Map(
    nearest.map(({ path: at, place }) => [keyOf({ path: at, place }), { path: at, place }]),
  )
  for (const row of rows) others.delete(keyOf(row))
  return others.size === 0 ? [] : db.all(atPlaces, JSON.stringify([...others.values()]), space)
}

function keyOf({ path: at, place }: ChunkPlace): string {
  return `${place} ${at}`
}

async function findByWords(
  query: UnderstoodQuery,
  match: (wanted: string, limit: number) => Promise<Found[]>,
): Promise<Found[]> {
  const any = query.terms.map(renderTermQuery).join(' | ')
  if (query.form === 'open') return match(any, WORD_CANDIDATES)
  const phrases = query.literals.map((literal) => `(${renderPhraseQuery(splitTerms(literal).map(stemWord))})`)
  const found = await match(phrases.join(' & '), LITERAL_CANDIDATES)
  return found.length > 0 || query.form === 'quoted' ? found : match(any, WORD_CANDIDATES)
}

function candidateOf(row: Found, query: UnderstoodQuery, vector: Int8Array): Candidate {
  return {
    ...row,
    kind: row.kind as KnowledgeKind,
    ...readCounts(Buffer.from(row.counts, 'base64'), query.terms),
    cosine: query.form === 'open' ? cosineOf(Buffer.from(row.vector, 'base64'), vector) : 0,
  }
}

/** Nothing is like a vector of other dimensions. */
function cosineOf(bytes: Buffer, vector: Int8Array): number {
  if (bytes.length !== vector.length) return 0
  let sum = 0
  for (let at = 0; at < vector.length; at++) sum += bytes.readInt8(at) * (vector[at] as number)
  return sum / VECTOR_LENGTH ** 2
}
