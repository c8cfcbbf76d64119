import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join, relative, resolve } from 'node:path'

/** How the tests took a change; `late` means that the time was over before one failed. */
export type Verdict = 'failed' | 'passed' | 'late'

/** How long tests whose time is over may take to clean up. */
const END_AFTER_MS = 10_000
/** So much of the end of what they print is looked at. */
const PRINTED_CHARS = 200_000

/** Test files that import a source file themselves, or are named after it: what fails, fails here first. */
export function listNearTests(tree: string, source: string): string[] {
  return listTests(tree).filter((test) => {
    if (test === source.replace(/\.ts$/, '.test.ts')) return true
    const text = readFileSync(join(tree, test), 'utf8')
    return [...text.matchAll(/from '(\.[^']+)'/g)].some(
      ([, wanted = '']) => relative(tree, resolve(tree, dirname(test), wanted)) === source,
    )
  })
}

function listTests(tree: string): string[] {
  return ['src', 'test'].flatMap((folder) =>
    readdirSync(join(tree, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => join(folder, name)),
  )
}

/** Tests of these folders start whole hubs, and take their time. */
const SLOW = /^test\/(fault|e2e|attack|browser)\//

/** Test files that speak most of what is about a change, best first; words that most tests use count little. */
export function rankTests(tree: string, source: string, about = ''): string[] {
  const [path, around] = [wordsOf(source), [...new Set(about.match(/\w{4,}/g))]]
  const found = listTests(tree).map((test) => {
    const text = readFileSync(join(tree, test), 'utf8')
    const named = wordsOf(test)
    const words = new Set(text.match(/\w{4,}/g))
    const low = text.toLowerCase()
    return {
      test,
      named,
      spoken: [...path.filter((word) => low.includes(word)), ...around.filter((word) => words.has(word))],
    }
  })
  const weights = Map.groupBy(
    found.flatMap(({ spoken }) => spoken),
    (word) => word,
  )
  const weight = (word: string) => 1 / (1 + (weights.get(word)?.length ?? 0))
  const scored = found.map(({ test, named, spoken }) => {
    const score = spoken.reduce((sum, word) => sum + weight(word) * (named.includes(word) ? 4 : 1), 0)
    return { test, score: SLOW.test(test) ? score / 4 : score }
  })
  return scored.toSorted((a, b) => b.score - a.score).map(({ test }) => test)
}

/** The words of a path, the name of the file and of its folder first of all. */
function wordsOf(path: string): string[] {
  const words = path
    .split('/')
    .slice(-2)
    .join('-')
    .split(/[^a-z]+/)
  return [...new Set(words.filter((word) => word.length > 2).map((word) => word.replace(/s$/, '')))]
}

/** How a run ended, and the test files that failed in it. */
export interface TestRun {
  readonly verdict: Verdict
  readonly failed: readonly string[]
}

/** Runs some tests of a copy until one fails, or the time is over; then it ends all that it has started. */
export function runTests(tree: string, args: readonly string[], limit_ms: number): Promise<TestRun> {
  const path = [join(tree, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const child = spawn('vitest', [...args, '--run', '--bail=1', '--reporter=dot'], {
    cwd: tree,
    env: { ...process.env, PATH: path, CI: '1', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that tests which hang are ended with all their processes.
    detached: true,
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => void (printed = (printed + chunk).slice(-PRINTED_CHARS)))
  return new Promise((settle, fail) => {
    let is_late = false
    let last: NodeJS.Timeout | undefined
    const timer = setTimeout(() => {
      is_late = true
      // Asked to end it stops its database, too; what does not listen is ended with all it has started.
      child.kill('SIGTERM')
      last = setTimeout(() => endGroup(child.pid), END_AFTER_MS)
    }, limit_ms)
    child.on('error', fail)
    child.on('close', (code) => {
      clearTimeout(timer)
      clearTimeout(last)
      endGroup(child.pid)
      const named = [...printed.matchAll(/^ FAIL {1,2}(\S{1,200}\.test\.ts)/gm)]
      const failed = [...new Set(named.map(([, name = '']) => name))]
      settle({ verdict: is_late ? 'late' : code === 0 ? 'passed' : 'failed', failed })
    })
  })
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // All of it has ended.
  }
}
