import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const WORDS =
  'order item price stock cart user total tax ship refund event queue batch retry value state'.split(' ')

/** A source-like text that is the same for the same number. */
export function sourceText(seed: number, bytes: number): string {
  const lines: string[] = []
  for (let at = 0, size = 0; size < bytes; at++) {
    const [a, b, c] = [seed + at, seed * 7 + at * 3, seed * 13 + at * 5].map((n) => WORDS[n % WORDS.length])
    const line = `export function ${a}${at}(${b}: number) { return ${b} * ${at} + ${c}Of(${seed}) }`
    lines.push(line)
    size += line.length + 1
  }
  return `${lines.join('\n')}\n`
}

/** A tree of `count` source files in folders of a hundred; one in a thousand holds the rare word. */
export function makeTree(folder: string, count: number, seed = 0): void {
  for (let at = 0; at < count; at++) {
    const place = join(folder, `part${Math.floor(at / 100)}`)
    if (at % 100 === 0) mkdirSync(place, { recursive: true })
    const rare = at % 1_000 === 0 ? '// needleInTheHay\n' : ''
    writeFileSync(join(place, `file${at}.ts`), rare + sourceText(at + seed, 2_000 + (at % 5) * 1_000))
  }
}

function gitIn(project: string) {
  return (...args: string[]) => execFileSync('git', ['-C', project, ...args], { stdio: 'ignore' })
}

function commitAll(project: string): void {
  const git = gitIn(project)
  git('add', '--all')
  git('-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '--quiet', '--message', 'all')
}

/** A repository whose service has so many files, with two branches that differ in each of them. */
export function makeBranches(project: string, count: number): void {
  const [service, git] = [join(project, 'service'), gitIn(project)]
  makeTree(join(service, 'src'), count)
  git('init', '--quiet', '--initial-branch=main')
  commitAll(project)
  git('switch', '--quiet', '--create', 'topic')
  makeTree(join(service, 'src'), count, 1)
  commitAll(project)
  git('switch', '--quiet', 'main')
}

/** A repository whose service has so many committed files, one of them changed. */
export function makeRepository(project: string, count: number): void {
  const service = join(project, 'service')
  makeTree(join(service, 'src'), count)
  gitIn(project)('init', '--quiet')
  commitAll(project)
  writeFileSync(join(service, 'src', 'part0', 'file1.ts'), 'export const changed = true\n')
}
