import { hash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { areaOf, listSources } from '../test/mutation/decision-code.ts'
import { type Change, listChanges, withChange } from '../test/mutation/mutants.ts'
import { listNearTests, rankTests, runTests, type TestRun, type Verdict } from '../test/mutation/run-tests.ts'
import { shuffled, spread } from '../test/mutation/shuffled.ts'
import { copyTree } from '../test/mutation/tree-copy.ts'

/**
 * Makes small changes to the code that decides, each alone and in a copy of the tree, and tells which of them no test
 * notices. What was tried is kept, so that a run that was broken off goes on where it was.
 */
const ROOT = join(import.meta.dirname, '..')
const HELP = `npm run test:mutation -- [options] [file or folder …]
  --mutants N    how many changes are tried (50)
  --seed N       which ones (1)
  --seconds N    how long the tests of one change may take (300)
  --minutes N    after so long no further change is begun (no limit)
  --least N      the share in per cent that must be noticed (90)
  --state FILE   where results are kept (node_modules/.cache/mutation.jsonl)
  --list         only prints the changes
`

interface Mutant extends Change {
  readonly file: string
  readonly source: string
  readonly line: number
  readonly was: string
  readonly id: string
}

/** A change that no test can notice, or none should, and why. */
interface KnownSurvivor {
  readonly file: string
  readonly was: string
  readonly text: string
  readonly reason: string
}

interface Options {
  readonly mutants: number
  readonly seed: number
  readonly seconds: number
  readonly minutes: number
  readonly least: number
  readonly state: string
  readonly files: readonly string[]
  readonly is_list: boolean
}

function readOptions(): Options {
  const number = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      mutants: number,
      seed: number,
      seconds: number,
      minutes: number,
      least: number,
      state: { type: 'string' },
      list: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    console.log(HELP)
    process.exit()
  }
  const count = (name: 'mutants' | 'seed' | 'seconds' | 'minutes' | 'least', otherwise: number) => {
    const text = values[name]
    if (text !== undefined && !/^\d{1,9}$/.test(text))
      throw new Error(`--${name} takes a whole number.\n${HELP}`)
    return text === undefined ? otherwise : Number(text)
  }
  return {
    mutants: count('mutants', 50),
    seed: count('seed', 1),
    seconds: count('seconds', 300),
    minutes: count('minutes', Number.POSITIVE_INFINITY),
    least: count('least', 90),
    state: resolve(values.state ?? join(ROOT, 'node_modules/.cache/mutation.jsonl')),
    files: positionals,
    is_list: values.list ?? false,
  }
}

function mutantsOf(file: string): Mutant[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  return listChanges(source).map((change) => {
    const was = source.slice(change.start, change.end)
    const line = source.slice(0, change.start).split('\n').length
    // A file that was changed meanwhile is tried anew.
    const id = hash('sha256', JSON.stringify([file, source, change])).slice(0, 16)
    return { ...change, file, source, line, was, id }
  })
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').slice(0, 100)

function render({ file, line, kind, was, text }: Mutant): string {
  return `${file}:${line}  ${kind}: ${oneLine(was)}  →  ${oneLine(text)}`
}

function readState(path: string): Map<string, Verdict> {
  if (!existsSync(path)) return new Map()
  const lines = readFileSync(path, 'utf8').split('\n')
  // The last line of a run that was killed may be cut.
  const whole = lines.filter((line) => line.endsWith('}'))
  return new Map(whole.map((line) => JSON.parse(line)).map(({ id, verdict }) => [id, verdict]))
}

/** So many of the tests that speak of a change are tried first, and so many in all before those that reach its file. */
const RANKED = [4, 12] as const
/** So many lines before and after a change tell what it is about. */
const AROUND = 8

/** Tries tests on the copy as it is now: the near ones, those that speak of it most, more of them, then all. */
async function judge(tree: string, mutant: Mutant, until: number): Promise<TestRun> {
  const { file, source, line } = mutant
  const near = listNearTests(tree, file)
  const about = source
    .split('\n')
    .slice(Math.max(0, line - AROUND), line + AROUND)
    .join('\n')
  const ranked = rankTests(tree, file, about).filter((test) => !near.includes(test))
  const [first, more] = RANKED
  const stages = [near, ranked.slice(0, first), ranked.slice(first, more), ['related', file]]
  let run: TestRun = { verdict: 'passed', failed: [] }
  for (const tests of stages) {
    const left = tests.filter((test) => !UNSOUND.has(test))
    if (left.length === 0) continue
    const without = [...UNSOUND].flatMap((test) => ['--exclude', test])
    run = await runTests(tree, [...left, ...without], Math.max(1_000, until - performance.now()))
    if (run.verdict !== 'passed') return run
  }
  return run
}

/** Tries each mutant that has no verdict yet, and keeps what came of it. */
async function tryAll(
  chosen: readonly Mutant[],
  verdicts: Map<string, Verdict>,
  options: Options,
): Promise<void> {
  const open = chosen.filter((mutant) => !verdicts.has(mutant.id) && !isKnown(mutant))
  if (open.length === 0) return
  const until = performance.now() + options.minutes * 60_000
  const copy = copyTree(ROOT)
  const stop = () => {
    copy.remove()
    process.exit(130)
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const keep = (id: string, verdict: Verdict) => {
    verdicts.set(id, verdict)
    mkdirSync(dirname(options.state), { recursive: true })
    appendFileSync(options.state, `${JSON.stringify({ id, verdict })}\n`)
  }
  try {
    for (const mutant of open) {
      if (performance.now() > until) return
      const verdict = await tryOne(copy.path, mutant, options)
      if (verdict === undefined) continue
      keep(mutant.id, verdict)
      console.log(`${WORDS[verdict]}  ${render(mutant)}`)
    }
  } finally {
    copy.remove()
  }
}

/** What the tests say of a mutant; nothing where what fails is no test. Tests that fail without it, too, are left out. */
async function tryOne(tree: string, mutant: Mutant, options: Options): Promise<Verdict | undefined> {
  const path = join(tree, mutant.file)
  const until = performance.now() + options.seconds * 1_000
  for (;;) {
    writeFileSync(path, withChange(mutant.source, mutant))
    const { verdict, failed } = await judge(tree, mutant, until)
    writeFileSync(path, mutant.source)
    if (verdict !== 'failed' || (await isSound(tree, failed, options))) return verdict
    console.error(`Left out: ${failed.join(', ')} fails without ${render(mutant)}, too.`)
    if (failed.length === 0) return undefined
    for (const test of failed) UNSOUND.add(test)
  }
}

/** A test that fails anyway would seem to notice every change: what has failed must pass without one. */
async function isSound(tree: string, failed: readonly string[], options: Options): Promise<boolean> {
  const unknown = failed.filter((test) => !SOUND.has(test))
  // Without a name it was no test that failed, but what runs them.
  if (failed.length === 0) return false
  if (unknown.length === 0) return true
  const { verdict } = await runTests(tree, unknown, options.seconds * 1_000)
  if (verdict === 'passed') for (const test of unknown) SOUND.add(test)
  return verdict === 'passed'
}

/** Test files that were seen to pass without a change. */
const SOUND = new Set<string>()
/** Test files that were seen to fail without a change. */
const UNSOUND = new Set<string>()

const WORDS: Readonly<Record<Verdict, string>> = {
  failed: 'killed   ',
  passed: 'SURVIVED ',
  late: 'UNDECIDED',
}

const KNOWN: readonly KnownSurvivor[] = JSON.parse(
  readFileSync(join(ROOT, 'test/mutation/known-survivors.json'), 'utf8'),
)

function isKnown(mutant: Mutant): KnownSurvivor | undefined {
  return KNOWN.find(
    ({ file, was, text }) => file === mutant.file && was === mutant.was && text === mutant.text,
  )
}

/** Prints what came of all chosen mutants. Answers whether enough were noticed. */
function report(
  chosen: readonly Mutant[],
  verdicts: ReadonlyMap<string, Verdict>,
  { least, seed }: Options,
): boolean {
  const explained = chosen.filter(isKnown)
  const counted = chosen.filter((mutant) => !isKnown(mutant))
  const of = (some: readonly Mutant[], ...wanted: Verdict[]) =>
    some.filter(({ id }) => wanted.includes(verdicts.get(id) as Verdict))
  const [killed, lived] = [of(counted, 'failed'), of(counted, 'passed', 'late')]
  for (const mutant of explained) console.log(`explained  ${render(mutant)}  (${isKnown(mutant)?.reason})`)
  for (const mutant of lived) console.log(`${WORDS[verdicts.get(mutant.id) as Verdict]}  ${render(mutant)}`)
  const areas = [...Map.groupBy(counted, ({ file }) => areaOf(file))].map(([area, some]) => [
    area,
    { tried: of(some, 'failed', 'passed', 'late').length, killed: of(some, 'failed').length },
  ])
  console.table(Object.fromEntries(areas))
  const tried = killed.length + lived.length
  const left = counted.length - tried
  const rest = left > 0 ? `; ${left} not tried yet` : ''
  if (tried === 0) {
    console.log(`No change was tried${rest}: nothing is known.`)
    return false
  }
  const share = (killed.length / tried) * 100
  console.log(
    `${killed.length} of ${tried} killed: ${share.toFixed(1)} %, ${explained.length} explained (seed ${seed})${rest}`,
  )
  return share >= least
}

const options = readOptions()
const files = listSources(ROOT, options.files.length > 0 ? options.files : undefined)
const chosen = spread(shuffled(files.flatMap(mutantsOf), options.seed), ({ file }) => areaOf(file)).slice(
  0,
  options.mutants,
)
if (options.is_list) for (const mutant of chosen) console.log(render(mutant))
else {
  const verdicts = readState(options.state)
  await tryAll(chosen, verdicts, options)
  process.exitCode = report(chosen, verdicts, options) ? 0 : 1
}
