import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import {
  INDEXER_ARGUMENT,
  type IndexerAnswer,
  type IndexerOrder,
} from '../src/domains/toolbox/knowledge/indexing/knowledge-order.ts'
import { NODE_FLAGS } from '../src/domains/toolbox/knowledge/indexing/knowledge-start.ts'
import { temporaryFolder } from './hub-process.ts'
import { commitAll, copySources, makeNotes } from './knowledge-tree.ts'
import { idleShare, median, residentMegabytes } from './machine.ts'
import { tellVerdict } from './verdict.ts'

const FILES = 10_000
const FULL_ROUNDS = 3
const ROUNDS = 9
const SMALL = 1_000
const LARGE = 50_000
/** Longer than stamps are mistrusted. */
const SETTLE_MS = 2_500
const LOOK_EVERY_MS = 20
const MAX_OUTPUT = 64 * 1_048_576

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const { rgPath } = require('@vscode/ripgrep') as { rgPath: string }
/** As it is shipped. */
const INDEXER = resolve(import.meta.dirname, '../dist/knowledge-indexer.js')

type Outcome = Extract<IndexerAnswer, { kind: 'done' }>['outcome']

/** One run of the indexer's program, from its start to its end. */
async function index(project_root: string, paths?: readonly string[]) {
  const nothing = { block_patterns: [], hard_link_stores: [], closed_paths: [], redact_patterns: [] }
  const job = { project_root, environment: {}, ...nothing, ...(paths && { paths }) }
  const order: IndexerOrder = { job, wait_ms: 0 }
  const started = performance.now()
  const child = spawn(process.execPath, [...NODE_FLAGS, INDEXER, INDEXER_ARGUMENT], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let megabytes = 0
  const watch = setInterval(() => {
    try {
      megabytes = Math.max(megabytes, residentMegabytes(child.pid as number) || 0)
    } catch {
      // It has ended.
    }
  }, LOOK_EVERY_MS)
  child.stdin.end(JSON.stringify(order))
  const [said] = await Promise.all([text(child.stdout), once(child, 'close')])
  clearInterval(watch)
  const answer = JSON.parse(said) as IndexerAnswer
  if (answer.kind !== 'done') throw new Error(`the indexer: ${said}`)
  return { ms: performance.now() - started, megabytes, outcome: answer.outcome }
}

function check({ outcome }: { outcome: Outcome }, expected: Partial<Outcome>): void {
  for (const [key, value] of Object.entries(expected))
    if (outcome[key as keyof Outcome] !== value) throw new Error(`${key}: ${JSON.stringify(outcome)}`)
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await act()
  return performance.now() - started
}

/** Reads every byte and finds nothing, which is no error here. */
function ripgrep(folder: string): Promise<unknown> {
  const args = ['--no-ignore', '--hidden', '--text', '--count', 'needleThatIsNowhere', folder]
  return run(rgPath, args, { maxBuffer: MAX_OUTPUT }).catch((error: { code?: number }) => {
    if (error.code !== 1) throw error
  })
}

async function compareFull(project: string): Promise<void> {
  const times = { ours: [] as number[], rg: [] as number[], megabytes: [] as number[] }
  for (let round = 0; round < FULL_ROUNDS; round++) {
    rmSync(join(project, '.flow'), { recursive: true, force: true })
    console.log(`  idle before ${((await idleShare()) * 100).toFixed(0)} %`)
    const rg: number[] = []
    for (let at = 0; at < FULL_ROUNDS; at++) rg.push(await timed(() => ripgrep(join(project, 'src'))))
    const ours = await index(project)
    check(ours, { mode: 'full', embedded: ours.outcome.files })
    const { chunks, files } = ours.outcome
    console.log(
      `  ${files} files, ${chunks} chunks: ${ours.ms.toFixed(0)} ms, ripgrep ${median(rg).toFixed(0)} ms, ${ours.megabytes.toFixed(0)} MB`,
    )
    times.ours.push(ours.ms)
    times.rg.push(median(rg))
    times.megabytes.push(ours.megabytes)
  }
  const measured = median(times.ours) / median(times.rg)
  tellVerdict({
    name: `full index of ${FILES} files against ripgrep reading them`,
    measured,
    bar: '≤ 60',
    unit: '×',
  })
  tellVerdict({
    name: 'memory while indexing',
    measured: Math.max(...times.megabytes),
    bar: '≤ 400',
    unit: 'MB',
  })
}

async function compareNothing(project: string): Promise<void> {
  await pause(SETTLE_MS)
  await index(project)
  const times = { ours: [] as number[], git: [] as number[] }
  for (let round = 0; round <= ROUNDS; round++) {
    const git = await timed(() => run('git', ['-C', project, 'status', '--short']))
    const ours = await index(project)
    check(ours, { mode: 'delta', embedded: 0, removed: 0 })
    if (round === 0) continue
    times.git.push(git)
    times.ours.push(ours.ms)
  }
  const [mine, git] = [median(times.ours), median(times.git)]
  console.log(
    `  nothing to do: ${mine.toFixed(0)} ms with the start of the program, git status ${git.toFixed(0)} ms`,
  )
  tellVerdict({
    name: `no-op index of ${FILES} files against git status`,
    measured: mine / git,
    bar: '≤ 4',
    unit: '×',
  })
}

/** One changed file, as the watch of a hub hands it on. */
async function compareOne(folder: string): Promise<void> {
  const projects = [SMALL, LARGE].map((count) => ({ count, project: join(folder, `notes${count}`) }))
  for (const { count, project } of projects) {
    makeNotes(join(project, 'docs'), count)
    check(await index(project), { mode: 'full', files: count })
  }
  const times = new Map<number, number[]>()
  for (let round = 0; round <= ROUNDS; round++)
    for (const { count, project } of projects) {
      const path = 'docs/part3/note321.md'
      writeFileSync(join(project, path), `# Changed ${round}\n\nAnother text each time: ${round * 31}.\n`)
      const ours = await index(project, [path])
      check(ours, { embedded: 1, removed: 0, files: count })
      if (round > 0) times.set(count, [...(times.get(count) ?? []), ours.ms])
    }
  const [small, large] = [median(times.get(SMALL) ?? []), median(times.get(LARGE) ?? [])]
  console.log(
    `  one changed file at ${SMALL} files ${small.toFixed(0)} ms, at ${LARGE} files ${large.toFixed(0)} ms`,
  )
  tellVerdict({
    name: `one changed file at ${LARGE} files against ${SMALL}`,
    measured: large / small,
    bar: '≤ 1.5',
    unit: '×',
  })
}

console.log('The knowledge index, by its own program as the hub starts it')
const { folder } = temporaryFolder()
const project = join(folder, 'project')
mkdirSync(project)
const bytes = copySources(join(project, 'src'), FILES)
commitAll(project)
console.log(`  ${FILES} sources of installed packages, ${(bytes / 1_000_000).toFixed(1)} MB`)
await compareFull(project)
await compareNothing(project)
await compareOne(folder)
