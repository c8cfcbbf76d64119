import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { chunkDocument } from '../src/platform/knowledge/chunking/chunk-document.ts'
import type { KnowledgeDocument } from '../src/platform/knowledge/knowledge.ts'
import { understandQuery } from '../src/platform/knowledge/ranking/understand-query.ts'
import { openEmbeddedStore } from '../src/platform/knowledge/stores/embedded/embedded-store.ts'
import { openStaticEmbedder } from '../src/platform/knowledge/vectors/static-embedder.ts'
import { temporaryFolder } from './hub-process.ts'
import { copySources } from './knowledge-tree.ts'
import { idleShare, median } from './machine.ts'
import { tellVerdict } from './verdict.ts'

const CHUNKS = 100_000
const FILES = 11_500
const BATCH = 200
const QUERIES = 200
const LIMIT = 10
/** A question has so many words. */
const WORDS_MIN = 3

const { folder } = temporaryFolder()
const embedder = openStaticEmbedder()
const sources = join(folder, 'src')
const file = join(folder, 'index.db')

function* documents(): Generator<Omit<KnowledgeDocument, 'vectors'>> {
  const entries = readdirSync(sources, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1)
    yield { path, sha256: '', chunks: chunkDocument(path, readFileSync(join(folder, path), 'utf8')) }
  }
}

/** Fills an index with just so many chunks; answers the names of some of them, as words. */
async function fill(): Promise<string[]> {
  const store = openEmbeddedStore(file)
  const names: string[] = []
  let [batch, left]: [KnowledgeDocument[], number] = [[], CHUNKS]
  const put = async () => {
    await store.replaceDocuments(embedder, batch)
    batch = []
  }
  for (const { chunks: all, ...document } of documents()) {
    const chunks = all.slice(0, left)
    left -= chunks.length
    for (const { name } of chunks)
      if (understandQuery(asWords(name)).terms.length >= WORDS_MIN) names.push(name)
    batch.push({ ...document, chunks, vectors: await embedder.embedChunks(document.path, chunks) })
    if (batch.length >= BATCH) await put()
    if (left === 0) break
  }
  await put()
  await store.close()
  if (left > 0) throw new Error(`${left} chunks are missing`)
  return Array.from({ length: QUERIES }, (_, at) =>
    asWords(names[Math.floor((at * names.length) / QUERIES)] as string),
  )
}

/** `parseHeader` as somebody would ask for it: parse header. */
function asWords(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[^A-Za-z]+/g, ' ')
    .toLowerCase()
    .trim()
}

console.log(`Questions to an index of ${CHUNKS} chunks`)
copySources(sources, FILES)
const queries = await fill()
console.log(`  idle before ${((await idleShare()) * 100).toFixed(0)} %`)
const store = openEmbeddedStore(file)
const bare = new BetterSqlite(file, { readonly: true })
const match = bare.prepare('SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?').pluck()
const times = { ours: [] as number[], bare: [] as number[] }
for (const [at, query] of [...queries.slice(0, 5), ...queries].entries()) {
  const expression = understandQuery(query)
    .terms.map(({ stem }) => `"${stem}"`)
    .join(' OR ')
  const started = performance.now()
  const rows = match.all(expression, LIMIT)
  const between = performance.now()
  const hits = await store.search(query, embedder, { prefixes: [''] }, LIMIT)
  const ended = performance.now()
  if (rows.length === 0 || hits.length === 0) throw new Error(`nothing found: ${query}`)
  // The first ones read the file and the vectors.
  if (at < 5) continue
  times.bare.push(between - started)
  times.ours.push(ended - between)
}
await store.close()
bare.close()
const [ours, fts] = [median(times.ours), median(times.bare)]
console.log(`  median of ${QUERIES}: ${ours.toFixed(1)} ms, a bare MATCH ${fts.toFixed(1)} ms`)
tellVerdict({
  name: `query at ${CHUNKS} chunks against a bare FTS5 MATCH`,
  measured: ours / fts,
  bar: '≤ 4',
  unit: '×',
})
