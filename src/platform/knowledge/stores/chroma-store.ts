import type { LookupFunction } from 'node:net'
import type { KnowledgeDocument, KnowledgeHit, KnowledgeScope, KnowledgeStore } from '../knowledge.ts'
import { type LoopbackLimits, openLoopback } from '../loopback-http.ts'
import { averageLengths, type Candidate, type Corpus, rankCandidates } from '../ranking/rank-candidates.ts'
import { type UnderstoodQuery, understandQuery } from '../ranking/understand-query.ts'
import { splitTerms } from '../words/split-terms.ts'
import { stemWord } from '../words/stem-word.ts'
import { CHROMA_URL } from './backend-settings.ts'
import { type ChromaCollection, type FoundRow, openChromaCollection } from './chroma-collection.ts'
import { anyOf, candidateOf, idOf, isInScope, rowsOf, whereOf } from './chroma-rows.ts'
import { hasLiterals } from './embedded/search-index.ts'

const SETTING = 'knowledge.store.url'
const LIMITS: LoopbackLimits = { timeout_ms: 60_000, answer_bytes: 64 * 1_048_576 }
const WORD_CANDIDATES = 200
const VECTOR_CANDIDATES = 150
const LITERAL_CANDIDATES = 1_000
/** Rows of one request; Chroma takes a few thousand. */
const UPSERT_ROWS = 100
const REMOVE_PATHS = 100
const PAGE_ROWS = 1_000
const PAGES_MAX = 1_000
const SPACE = /^[a-z0-9]{8,40}$/

/** Which server, and under which name what belongs together is kept there. */
export interface ChromaOptions {
  readonly url?: string
  /** Letters and digits. */
  readonly space: string
  readonly limits?: LoopbackLimits
  readonly lookup?: LookupFunction
}

/** Two collections: the chunks, and the documents, whose row is written last and so says that all of it is in. */
interface Collections {
  readonly chunks: ChromaCollection
  readonly documents: ChromaCollection
}

/** Opens a store on a Chroma server of this machine. */
export async function openChromaStore(options: ChromaOptions): Promise<KnowledgeStore> {
  const { url = CHROMA_URL, space, limits = LIMITS, lookup } = options
  if (!SPACE.test(space)) throw new Error('The space of a Chroma store is letters and digits.')
  const client = openLoopback(SETTING, url, limits, lookup)
  const all: Collections = {
    chunks: openChromaCollection(client, `knowtation-${space}-chunks`),
    documents: openChromaCollection(client, `knowtation-${space}-documents`),
  }
  let embedder_id = embedderIn(await all.documents.readMetadata())
  return {
    get embedder_id() {
      return embedder_id
    },
    async replaceDocuments(embedder, documents) {
      documents.forEach(checkVectors)
      if (embedder_id !== embedder.id) await all.documents.writeMetadata({ embedder: embedder.id })
      embedder_id = embedder.id
      await removeAll(all, pathsOf(documents))
      await addAll(all, documents)
    },
    removeDocuments: (paths) => removeAll(all, paths),
    listDocuments: () => listAll(all.documents),
    async search(query, embedder, scope, limit) {
      const vector = [...(await embedder.embedQuery(query))]
      return findHits(all.chunks, understandQuery(query), vector, scope, limit)
    },
    async clear() {
      await all.documents.drop()
      await all.chunks.drop()
      embedder_id = undefined
    },
    close: async () => client.close(),
  }
}

function embedderIn({ embedder }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof embedder === 'string' ? embedder : undefined
}

function pathsOf(documents: readonly KnowledgeDocument[]): string[] {
  return documents.map(({ path }) => path)
}

/** Before anything is touched: Chroma has no transactions. */
function checkVectors({ path, chunks, vectors }: KnowledgeDocument): void {
  if (vectors.length !== chunks.length) throw new Error(`${path} has not one vector for each chunk.`)
}

/** The documents' rows go first, so that what is half gone does not count as being in. */
async function removeAll({ documents, chunks }: Collections, paths: readonly string[]): Promise<void> {
  for (const collection of [documents, chunks])
    for (const some of slices(paths, REMOVE_PATHS)) await collection.remove({ path: { $in: some } })
}

async function addAll(all: Collections, documents: readonly KnowledgeDocument[]): Promise<void> {
  for (const rows of slices(documents.flatMap(rowsOf), UPSERT_ROWS)) await all.chunks.upsert(rows)
  const rows = documents.map(({ path, sha256 }) => {
    const metadata = { path, sha256 }
    return { id: idOf(path), embedding: [1], document: '', metadata }
  })
  for (const some of slices(rows, UPSERT_ROWS)) await all.documents.upsert(some)
}

async function listAll(documents: ChromaCollection): Promise<Map<string, string>> {
  const listed = new Map<string, string>()
  for (let page = 0; page < PAGES_MAX; page++) {
    const rows = await documents.get({}, PAGE_ROWS, page * PAGE_ROWS)
    for (const { metadata } of rows) listed.set(String(metadata.path), String(metadata.sha256))
    if (rows.length < PAGE_ROWS) break
  }
  return listed
}

function* slices<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

async function findHits(
  chunks: ChromaCollection,
  query: UnderstoodQuery,
  vector: readonly number[],
  scope: KnowledgeScope,
  limit: number,
): Promise<KnowledgeHit[]> {
  if (scope.prefixes.length === 0 || scope.kinds?.length === 0 || query.terms.length === 0) return []
  const rows = await findRows(chunks, query, vector, scope)
  const candidates = rows
    .flatMap((row) => candidateOf(row, query))
    .filter(({ path, text }) => isInScope(path, scope) && hasLiterals(query, text))
  return rankCandidates(query, corpusOf(candidates), distinct(candidates), limit)
}

/** The nearest chunks, and the nearest of those that have one of the words; where letters count, those with all. */
async function findRows(
  chunks: ChromaCollection,
  query: UnderstoodQuery,
  vector: readonly number[],
  scope: KnowledgeScope,
): Promise<FoundRow[]> {
  const where = whereOf(scope)
  const having = (where_document: object) => ({
    where,
    where_document: where_document as Record<string, unknown>,
  })
  const any = anyOf(query.terms.map(({ stem }) => ({ $contains: ` ${stem} ` })))
  const withWords = () => chunks.query(vector, having(any), WORD_CANDIDATES)
  if (query.form === 'open') {
    const nearest = vector.some(Boolean) ? await chunks.query(vector, { where }, VECTOR_CANDIDATES) : []
    return [...(await withWords()), ...nearest]
  }
  const phrases = query.literals.map((literal) => ({ $contains: ` ${stemsOf(literal)} ` }))
  const all = phrases.length === 1 ? (phrases[0] as object) : { $and: phrases }
  const found = await chunks.get(having(all), LITERAL_CANDIDATES)
  return found.length > 0 || query.form === 'quoted' ? found : withWords()
}

function stemsOf(literal: string): string {
  return splitTerms(literal).map(stemWord).join(' ')
}

function distinct(candidates: readonly Candidate[]): Candidate[] {
  return [...new Map(candidates.map((one) => [`${one.path}\0${one.start_line}\0${one.name}`, one])).values()]
}

/** Chroma does not tell how rare a word is: what was found has to stand for all there is. */
function corpusOf(found: readonly Candidate[]): Corpus {
  const candidates = distinct(found)
  const terms = candidates[0]?.counts.length ?? 0
  return {
    chunks: candidates.length,
    average_lengths: averageLengths(
      candidates.map(({ kind, length }) => ({ kind, chunks: 1, terms: length })),
    ),
    frequencies: Array.from(
      { length: terms },
      (_, at) => candidates.filter(({ counts }) => counts[at]).length,
    ),
  }
}
