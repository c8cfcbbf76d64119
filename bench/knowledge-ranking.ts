import { basename, join } from 'node:path'
import { chunkDocument } from '../src/platform/knowledge/chunking/chunk-document.ts'
import { openEmbeddedStore } from '../src/platform/knowledge/stores/embedded/embedded-store.ts'
import { openStaticEmbedder } from '../src/platform/knowledge/vectors/static-embedder.ts'
import { temporaryFolder } from './hub-process.ts'
import {
  buildLabels,
  type Label,
  type LabelledSet,
  type Source,
  TASKS,
  type Task,
} from './knowledge-labels.ts'
import { openPlainSearch, type PlacedChunk } from './knowledge-plain.ts'
import { tellVerdict } from './verdict.ts'

const LIMIT = 10
/** Documents taken in at once. */
const BATCH = 200
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
/**
 * How much better than plain BM25 the ranking has to be, by mean reciprocal rank over all sets. `test` has no bar: the
 * ranking puts a test behind what it tests unless tests are asked for, and is measured here at what that costs.
 */
const BARS: Partial<Record<Task, `≥ ${number}`>> = {
  function: '≥ 1.3',
  section: '≥ 1.05',
  file: '≥ 1.05',
  symbol: '≥ 1',
}

type Search = (query: string) => Promise<PlacedChunk[]> | PlacedChunk[]
interface Tally {
  asked: number
  reciprocal: number
  found: number
}
type Tallies = Record<Task, Tally>

const { folder } = temporaryFolder()
const embedder = openStaticEmbedder()
const totals = { plain: emptyTallies(), ours: emptyTallies() }

function emptyTally(): Tally {
  return { asked: 0, reciprocal: 0, found: 0 }
}

function emptyTallies(): Tallies {
  return Object.fromEntries(TASKS.map((task) => [task, emptyTally()])) as Tallies
}

/** An answer is right where it is the document and, if a place is asked for, half of the smaller one is shared. */
function isRight({ task, query, paths, start_line, end_line }: Label, hit: PlacedChunk): boolean {
  if (!paths.includes(hit.path)) return false
  if (task === 'symbol') return hit.text.includes(query)
  if (start_line === undefined || end_line === undefined) return true
  const shared = Math.min(end_line, hit.end_line) - Math.max(start_line, hit.start_line) + 1
  return shared * 2 >= Math.min(end_line - start_line, hit.end_line - hit.start_line) + 1
}

async function ask(search: Search, labels: readonly Label[], tallies: readonly Tallies[]): Promise<void> {
  for (const label of labels) {
    const rank = (await search(label.query)).findIndex((hit) => isRight(label, hit)) + 1
    for (const { [label.task]: tally } of tallies) {
      tally.asked++
      if (rank > 0) tally.found++
      if (rank > 0) tally.reciprocal += 1 / rank
    }
  }
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
  const plain = openPlainSearch(placed)
  return {
    plain: (query: string) => plain(query, LIMIT),
    ours: (query: string) => store.search(query, embedder, { prefixes: [''] }, LIMIT),
    close: () => store.close(),
  }
}

async function measure({ name, bare, whole, labels }: LabelledSet): Promise<void> {
  const own = { plain: emptyTallies(), ours: emptyTallies() }
  for (const [form, sources, tasks] of [
    ['bare', bare, ['function', 'section']],
    ['whole', whole, ['file', 'test', 'symbol']],
  ] as const) {
    const searches = await openBoth(`${name}-${form}`.replaceAll('/', '+'), sources)
    const asked = labels.filter(({ task }) => (tasks as readonly Task[]).includes(task))
    for (const whose of ['plain', 'ours'] as const)
      await ask(searches[whose], asked, [own[whose], totals[whose]])
    await searches.close()
  }
  tell(name, own)
}

function tell(name: string, tallies: { plain: Tallies; ours: Tallies }): void {
  const cells = TASKS.map((task) => {
    const { asked } = tallies.plain[task]
    const render = ({ reciprocal, found }: Tally) =>
      `${(reciprocal / asked).toFixed(3)}/${(found / asked).toFixed(3)}`
    return asked === 0
      ? `${task}: none`
      : `${task} (${asked}): ${render(tallies.plain[task])} -> ${render(tallies.ours[task])}`
  })
  console.log(`${name}  ${cells.join('  ')}`)
}

console.log('MRR@10/recall@10 of plain BM25 with identifiers split -> ours')
const named = process.argv.slice(2)
const places = named.length > 0 ? named : [ROOT, ...PACKAGES.map((place) => join(ROOT, place))]
for (const place of places) await measure(buildLabels(basename(place), place))
tell('all', totals)
for (const task of TASKS) {
  const [plain, ours, bar] = [totals.plain[task], totals.ours[task], BARS[task]]
  if (plain.asked === 0) continue
  const measured = ours.reciprocal / Math.max(plain.reciprocal, Number.EPSILON)
  const name = `knowledge ${task}, MRR@10 against plain BM25`
  if (bar) tellVerdict({ name, measured, bar, unit: '×' })
  else console.log(`${name}: ${measured.toFixed(2)} ×`)
}
