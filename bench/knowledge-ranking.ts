import { existsSync, readdirSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { chunkDocument } from '../src/platform/knowledge/chunking/chunk-document.ts'
import type { KnowledgeKind } from '../src/platform/knowledge/knowledge.ts'
import { openEmbeddedStore } from '../src/platform/knowledge/stores/embedded/embedded-store.ts'
import { openStaticEmbedder } from '../src/platform/knowledge/vectors/static-embedder.ts'
import { temporaryFolder } from './hub-process.ts'
import { buildLabels, type Label, type LabelledSet, type Source, type Task } from './knowledge-labels.ts'
import { openPlainSearch, type PlacedChunk } from './knowledge-plain.ts'
import { APART, TUNED } from './knowledge-questions.ts'
import { tellVerdict } from './verdict.ts'

const LIMIT = 10
const FEW = 5
/** Documents taken in at once. */
const BATCH = 200
/** Of one kind and language, to be told apart from chance. */
const LANGUAGE_LABELS = 60
const ROOT = join(import.meta.dirname, '..')
/** Packages that come with their sources or with much prose; the project's own tree has a history besides. */
const PACKAGES = [
  'node_modules/fastify',
  'node_modules/undici',
  'node_modules/oidc-provider',
  'node_modules/ajv',
  'bench/node_modules/autocannon',
  'bench/node_modules/axios',
]

/** What is asked for, and of what: a task, or one with the search narrowed to a kind. */
const ROWS = [
  { name: 'function', task: 'function' },
  { name: 'function in code', task: 'function', kind: 'code' },
  { name: 'section', task: 'section' },
  { name: 'section in docs', task: 'section', kind: 'doc' },
  { name: 'file', task: 'file' },
  { name: 'test', task: 'test' },
  { name: 'symbol', task: 'symbol' },
  { name: 'title', task: 'title' },
  { name: 'question', task: 'question' },
  { name: 'question in code', task: 'question', kind: 'code' },
] as const satisfies readonly { name: string; task: Task; kind?: KnowledgeKind }[]
type Row = (typeof ROWS)[number]

/** Mean reciprocal ranks that repositories kept apart have to reach. `test` has none: see the README of this folder. */
const BARS: Readonly<Record<string, `≥ ${number}`>> = {
  function: '≥ 0.52',
  'function in code': '≥ 0.58',
  section: '≥ 0.45',
  'section in docs': '≥ 0.5',
  file: '≥ 0.64',
  symbol: '≥ 0.95',
  title: '≥ 0.88',
  question: '≥ 0.7',
}
/** How much better than plain BM25 it has to be on the packages that are installed. */
const RATIOS: Readonly<Record<string, `≥ ${number}`>> = {
  function: '≥ 1.3',
  section: '≥ 1.05',
  file: '≥ 1.05',
  symbol: '≥ 1',
}

interface Asked {
  row: Row
  language: string
  plain: number
  ours: number
}
type Search = (query: string, kind?: KnowledgeKind) => Promise<PlacedChunk[]> | PlacedChunk[]

const { folder } = temporaryFolder()
const embedder = openStaticEmbedder()

/** An answer is right where it is the document and, if a place is asked for, half of the smaller one is shared. */
function isRight({ task, query, paths, start_line, end_line }: Label, hit: PlacedChunk): boolean {
  if (!paths.includes(hit.path)) return false
  if (task === 'symbol') return hit.text.includes(query)
  if (start_line === undefined || end_line === undefined) return true
  const shared = Math.min(end_line, hit.end_line) - Math.max(start_line, hit.start_line) + 1
  return shared * 2 >= Math.min(end_line - start_line, hit.end_line - hit.start_line) + 1
}

/** From 1; 0 where it is not there. */
async function rankOf(search: Search, label: Label, kind?: KnowledgeKind): Promise<number> {
  return (await search(label.query, kind)).findIndex((hit) => isRight(label, hit)) + 1
}

async function openBoth(name: string, sources: readonly Source[]) {
  const documents = sources.map(({ path, text }) => ({ path, sha256: '', chunks: chunkDocument(path, text) }))
  const store = openEmbeddedStore(join(folder, `${name}.db`))
  for (let at = 0; at < documents.length; at += BATCH) {
    const batch = documents.slice(at, at + BATCH).map(async (document) => ({
      ...document,
      vectors: await embedder.embedChunks(document.path, document.chunks),
    }))
    await store.replaceDocuments(embedder, await Promise.all(batch))
  }
  const placed = documents.flatMap(({ path, chunks }) => chunks.map((chunk) => ({ ...chunk, path })))
  const kinds = Map.groupBy(placed, ({ kind }) => kind)
  const plain = new Map([...kinds].map(([kind, chunks]) => [kind as string, openPlainSearch(chunks)]))
  plain.set('', openPlainSearch(placed))
  return {
    plain: (query: string, kind?: KnowledgeKind) => plain.get(kind ?? '')?.(query, LIMIT) ?? [],
    ours: (query: string, kind?: KnowledgeKind) =>
      store.search(query, embedder, { prefixes: [''], ...(kind && { kinds: [kind] }) }, LIMIT),
    close: () => store.close(),
  }
}

async function measure({ name, bare, whole, labels }: LabelledSet): Promise<Asked[]> {
  const asked: Asked[] = []
  for (const [form, sources] of [
    ['bare', bare],
    ['whole', whole],
  ] as const) {
    const { plain, ours, close } = await openBoth(`${name}-${form}`.replaceAll('/', '+'), sources)
    for (const row of ROWS)
      for (const label of labels) {
        const is_bare = row.task === 'function' || row.task === 'section'
        if (label.task !== row.task || is_bare !== (form === 'bare')) continue
        const kind = 'kind' in row ? row.kind : undefined
        if (kind === 'code' && label.paths.every((path) => /\.(?:md|mdx|rst|txt)$/i.test(path))) continue
        asked.push({
          row,
          language: extname(label.paths[0] ?? ''),
          plain: await rankOf(plain, label, kind),
          ours: await rankOf(ours, label, kind),
        })
      }
    await close()
  }
  return asked
}

const mean = (ranks: readonly number[]): number =>
  ranks.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0) / Math.max(1, ranks.length)
const share = (ranks: readonly number[], limit: number): number =>
  ranks.filter((rank) => rank > 0 && rank <= limit).length / Math.max(1, ranks.length)
const ofRow = (asked: readonly Asked[], row: Row): Asked[] => asked.filter((one) => one.row === row)

function tell(name: string, asked: readonly Asked[]): void {
  console.log(`${name}: MRR@10 / recall@5 / recall@10 of plain BM25 -> ours`)
  for (const row of ROWS) {
    const own = ofRow(asked, row)
    if (own.length === 0) continue
    const render = (ranks: readonly number[]) =>
      [mean(ranks), share(ranks, FEW), share(ranks, LIMIT)].map((one) => one.toFixed(3)).join('/')
    const [plain, ours] = [own.map((one) => one.plain), own.map((one) => one.ours)]
    console.log(`  ${row.name} (${own.length}): ${render(plain)} -> ${render(ours)}`)
  }
}

/** Where a language fares worse than with plain BM25, and there were enough questions to say so. */
function tellLanguages(asked: readonly Asked[]): void {
  for (const row of ROWS)
    for (const [language, own] of Map.groupBy(ofRow(asked, row), (one) => one.language)) {
      const [plain, ours] = [mean(own.map((one) => one.plain)), mean(own.map((one) => one.ours))]
      const mark = ours >= plain ? '' : own.length < LANGUAGE_LABELS ? '  (below, of few)' : '  BELOW'
      console.log(
        `  ${row.name} ${language} (${own.length}): ${plain.toFixed(3)} -> ${ours.toFixed(3)}${mark}`,
      )
    }
}

async function measureAll(places: readonly string[]): Promise<Asked[]> {
  const all: Asked[] = []
  for (const place of places) {
    const name = basename(place)
    const questions = TUNED[name] ?? APART[name] ?? []
    const asked = await measure(
      buildLabels(name, place, questions, limit === undefined ? undefined : Number(limit)),
    )
    tell(name, asked)
    all.push(...asked)
  }
  return all
}

async function measureInstalled(): Promise<void> {
  const asked = await measureAll([ROOT, ...PACKAGES.map((place) => join(ROOT, place))])
  tell('all', asked)
  for (const [name, bar] of Object.entries(RATIOS)) {
    const own = asked.filter(({ row }) => row.name === name)
    const measured = mean(own.map(({ ours }) => ours)) / mean(own.map(({ plain }) => plain))
    tellVerdict({ name: `knowledge ${name}, MRR@10 against plain BM25`, measured, bar, unit: '×' })
  }
}

/** Checkouts of other people's repositories, called `owner+name`, one beside the other. */
async function measureFolder(place: string): Promise<void> {
  const present = (names: Readonly<Record<string, unknown>>) =>
    readdirSync(place)
      .filter((name) => name in names)
      .map((name) => join(place, name))
  const tuned = await measureAll(present(TUNED))
  const apart = await measureAll(present(APART))
  tell('tuned to', tuned)
  tell('kept apart', apart)
  console.log('languages, of both')
  tellLanguages([...tuned, ...apart])
  for (const row of ROWS) {
    const own = ofRow(apart, row)
    const bar = BARS[row.name]
    if (own.length === 0 || bar === undefined) continue
    const measured = mean(own.map(({ ours }) => ours))
    tellVerdict({ name: `knowledge ${row.name}, MRR@10`, measured, bar, unit: '' })
    const few = share(
      own.map(({ ours }) => ours),
      FEW,
    )
    if (row.name === 'question')
      tellVerdict({ name: 'knowledge question, recall@5', measured: few, bar: '≥ 0.9', unit: '' })
  }
}

const [named, limit] = process.argv.slice(2)
if (named !== undefined && existsSync(join(named, '.git'))) tell(basename(named), await measureAll([named]))
else if (named !== undefined) await measureFolder(named)
else await measureInstalled()
