import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openGuard } from '../src/platform/guard/open-guard.ts'
import { type Cell, measureCell, medianRatio, percentile, speedOf } from './cell.ts'
import { PROGRAM, temporaryFolder } from './hub-process.ts'
import { median } from './machine.ts'
import { openStdioSession, type StdioSession } from './stdio-session.ts'
import { compareDurableEdit } from './toolbox-edit.ts'
import { compareAdd, compareCheckout, compareStatus } from './toolbox-git.ts'
import { makeTree, sourceText } from './toolbox-project.ts'
import { tellVerdict } from './verdict.ts'

/** An even number: each of two goes first as often as the other. */
const ROUNDS = 6
const CALLS = 1_600
const AT_ONCE = 8
const READS = 4_000
const SEARCHES = 7
const FILE_BYTES = 4_096
const MAX_OUTPUT = 64 * 1_048_576

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const { rgPath } = require('@vscode/ripgrep') as { rgPath: string }
const FILESYSTEM = join(
  require.resolve('@modelcontextprotocol/server-filesystem/package.json'),
  '../dist/index.js',
)

const { folder } = temporaryFolder()
const project = join(folder, 'project')
const service = join(project, 'service')
const deep = join(service, 'a', 'b', 'c')
mkdirSync(deep, { recursive: true })
mkdirSync(join(project, '.flow'))
const text = sourceText(1, FILE_BYTES)
writeFileSync(join(deep, 'read.ts'), text)
for (const whose of ['ours', 'theirs'])
  for (let place = 0; place < AT_ONCE; place++)
    writeFileSync(join(deep, `${whose}${place}.ts`), `${text}const answer = 1\n`)

/** So many calls at a time, as agents make them, checking each answer. Each place has its own file. */
async function callMany(at_once: number, one: (place: number, at: number) => Promise<void>) {
  const times: number[] = []
  const started = performance.now()
  const callInTurn = async (place: number) => {
    for (let at = 0; at < CALLS / at_once; at++) {
      const before = performance.now()
      await one(place, at)
      times.push(performance.now() - before)
    }
  }
  await Promise.all(Array.from({ length: at_once }, (_, place) => callInTurn(place)))
  const ms = performance.now() - started
  return { calls: CALLS, ms, p50_ms: percentile(times, 0.5), p99_ms: percentile(times, 0.99) }
}

function check(answer: string, expected: string): void {
  if (!answer.includes(expected)) throw new Error(`a wrong answer: ${answer.slice(0, 200)}`)
}

function startHub(place: string): Promise<StdioSession> {
  const seat = ['--project', place, '--service', 'service', '--role', 'dev']
  return openStdioSession([PROGRAM, 'mcp', '--home', join(folder, 'home'), ...seat])
}

type OneCall = (place: number, at: number) => Promise<void>

/**
 * The same calls to both servers, in turns: one at a time, and several at a time. Who goes first changes from round to
 * round: what one has not brought to the disk is brought there while the next one works.
 */
async function compareCalls(
  name: string,
  ours: StdioSession,
  theirs: StdioSession,
  calls: { ours: OneCall; theirs: OneCall },
  bar: '≥ 0.8' | '≥ 0.6',
): Promise<void> {
  for (const at_once of [1, AT_ONCE]) {
    const cells: { ours: Cell[]; theirs: Cell[] } = { ours: [], theirs: [] }
    const load = (one: OneCall) => () => callMany(at_once, one)
    await load(calls.ours)()
    await load(calls.theirs)()
    const measure = {
      theirs: () => measureCell(`server-filesystem ${name}`, theirs.pid, load(calls.theirs)),
      ours: () => measureCell(`knowtation ${name}`, ours.pid, load(calls.ours)),
    }
    for (let round = 0; round < ROUNDS; round++) {
      const order = ['theirs', 'ours'] as const
      for (const who of round % 2 === 0 ? order : order.toReversed()) cells[who].push(await measure[who]())
    }
    const measured = medianRatio(cells.ours, cells.theirs, speedOf)
    const what = `toolbox ${name} against server-filesystem, ${at_once} at a time, calls/s`
    // Alone, each call of ours waits for the disk to take its record, which the other server has none of.
    if (at_once === 1) console.log(`${what}: ${measured.toFixed(2)} ×`)
    else tellVerdict({ name: what, measured, bar, unit: '×' })
  }
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await act()
  return performance.now() - started
}

async function compareFiles(): Promise<void> {
  const ours = await startHub(project)
  const theirs = await openStdioSession([FILESYSTEM, service])
  try {
    await compareCalls(
      'read_file',
      ours,
      theirs,
      {
        ours: async () => check(await ours.call('read_file', { path: 'a/b/c/read.ts' }), 'export function'),
        theirs: async () =>
          check(await theirs.call('read_text_file', { path: join(deep, 'read.ts') }), 'export function'),
      },
      '≥ 0.8',
    )
    const [old, now] = [
      (n: number) => `answer = ${(n % 2) + 1}\n`,
      (n: number) => `answer = ${2 - (n % 2)}\n`,
    ]
    const turns = { ours: Array(AT_ONCE).fill(0), theirs: Array(AT_ONCE).fill(0) }
    await compareCalls(
      'edit_file',
      ours,
      theirs,
      {
        async ours(place) {
          const n = turns.ours[place]++
          const edits = [{ operation: 'replace', spec: old(n), content: now(n) }]
          check(await ours.call('edit_file', { path: `a/b/c/ours${place}.ts`, edits }), 'success')
        },
        async theirs(place) {
          const n = turns.theirs[place]++
          const edits = [{ oldText: old(n), newText: now(n) }]
          check(
            await theirs.call('edit_file', { path: join(deep, `theirs${place}.ts`), edits }),
            now(n).trim(),
          )
        },
      },
      '≥ 0.6',
    )
  } finally {
    await Promise.all([ours.end(), theirs.end()])
  }
}

async function compareSearch(): Promise<void> {
  const tree = join(service, 'tree')
  makeTree(tree, 10_000)
  const ours = await startHub(project)
  const patterns = { 'a rare word': 'needleInTheHay', 'a pattern': 'refund\\d+\\(state' }
  try {
    for (const [what, regex] of Object.entries(patterns)) {
      const search = () => ours.call('search_file', { path: 'tree', regex, recursive: true })
      const times = { ours: [] as number[], rg: [] as number[] }
      for (let round = 0; round <= SEARCHES; round++) {
        const rg = await timed(() =>
          run(rgPath, ['--no-ignore', '--line-number', '--column', regex, tree], { maxBuffer: MAX_OUTPUT }),
        )
        const mine = await timed(async () => check(await search(), 'part'))
        if (round === 0) continue
        times.rg.push(rg)
        times.ours.push(mine)
      }
      const [mine, rg] = [median(times.ours), median(times.rg)]
      console.log(`  ${what} in 10,000 files: ${mine.toFixed(0)} ms, ripgrep ${rg.toFixed(0)} ms`)
      tellVerdict({
        name: `search of 10,000 files (${what}) against ripgrep`,
        measured: mine / rg,
        bar: '≤ 3',
        unit: '×',
      })
    }
  } finally {
    await ours.end()
  }
}

async function compareGuard(): Promise<void> {
  const guard = openGuard({
    service_root: service,
    project_root: project,
    shared_roots: [],
    closed_paths: [],
    block_patterns: [],
    hard_link_stores: [],
  })
  const times = { guard: [] as number[], plain: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    const each = { guard: [] as number[], plain: [] as number[] }
    for (let at = 0; at < READS; at++) {
      each.plain.push(await timed(() => readFile(join(deep, 'read.ts'))))
      each.guard.push(await timed(async () => guard.readFile('a/b/c/read.ts', 102_400)))
    }
    times.guard.push(median(each.guard))
    times.plain.push(median(each.plain))
  }
  guard.close()
  const [mine, plain] = [median(times.guard) * 1_000, median(times.plain) * 1_000]
  console.log(`  guarded read ${mine.toFixed(0)} µs, fs.promises.readFile ${plain.toFixed(0)} µs`)
  tellVerdict({
    name: 'guarded read against fs.promises.readFile',
    measured: mine / plain,
    bar: '≤ 2',
    unit: '×',
  })
}

const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  files: compareFiles,
  durable: () => compareDurableEdit(folder),
  search: compareSearch,
  guard: compareGuard,
  status200: () => compareStatus({ folder, startHub }, 200, '≤ 3'),
  status5000: () => compareStatus({ folder, startHub }, 5_000, '≤ 1.6'),
  add: () => compareAdd({ folder, startHub }, 100),
  checkout: () => compareCheckout({ folder, startHub }, 1_000),
}

/** Everything, or what is named on the command line. */
const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PARTS)
console.log('The toolbox over MCP stdio, with guard, redaction and audit on')
for (const part of chosen) await PARTS[part]?.()
