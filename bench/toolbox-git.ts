import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { median } from './machine.ts'
import type { StdioSession } from './stdio-session.ts'
import { makeBranches, makeRepository, sourceText } from './toolbox-project.ts'
import { tellVerdict } from './verdict.ts'

const STATUSES = 15
const run = promisify(execFile)

/** Where the repositories are made, and how a hub is started on one of them. */
interface Bench {
  readonly folder: string
  startHub(place: string): Promise<StdioSession>
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await act()
  return performance.now() - started
}

function check(answer: string, expected: string): void {
  if (!answer.includes(expected)) throw new Error(`a wrong answer: ${answer.slice(0, 200)}`)
}

/** The state of a service with so many files, against plain git. */
export async function compareStatus(
  { folder, startHub }: Bench,
  count: number,
  bar: '≤ 3' | '≤ 1.6',
): Promise<void> {
  const place = join(folder, `repository${count}`)
  mkdirSync(place)
  makeRepository(place, count)
  const ours = await startHub(place)
  const times = { ours: [] as number[], git: [] as number[] }
  try {
    for (let round = 0; round <= STATUSES; round++) {
      const plain = await timed(() =>
        run('git', ['-C', join(place, 'service'), 'status', '--short', '--branch']),
      )
      const mine = await timed(async () => check(await ours.call('git_status', {}), 'file1.ts'))
      if (round === 0) continue
      times.git.push(plain)
      times.ours.push(mine)
    }
  } finally {
    await ours.end()
  }
  const [mine, plain] = [median(times.ours), median(times.git)]
  console.log(`  git_status at ${count} files ${mine.toFixed(1)} ms, plain git ${plain.toFixed(1)} ms`)
  tellVerdict({
    name: `git_status at ${count} files against plain git`,
    measured: mine / plain,
    bar,
    unit: '×',
  })
}

/** Stages so many changed files, against plain git in a repository of its own. */
export async function compareAdd({ folder, startHub }: Bench, count: number): Promise<void> {
  const files = Array.from({ length: count }, (_, at) => `src/part${Math.floor(at / 100)}/file${at}.ts`)
  const places = { ours: join(folder, 'add-ours'), git: join(folder, 'add-git') }
  for (const place of Object.values(places)) {
    mkdirSync(place)
    makeRepository(place, count)
  }
  const ours = await startHub(places.ours)
  const change = (place: string, round: number) => {
    for (const [at, file] of files.entries())
      writeFileSync(join(place, 'service', file), `${sourceText(at, 3_000)}const round = ${round}\n`)
  }
  try {
    await compareWithGit(`git_add of ${count} files`, {
      prepare: (round) => Object.values(places).forEach((place) => void change(place, round)),
      ours: async () => check(await ours.call('git_add', { files }), 'file1.ts'),
      git: () => run('git', ['-C', join(places.git, 'service'), 'add', '--', ...files]),
    })
  } finally {
    await ours.end()
  }
}

/** Switches between two branches that differ in so many files, against plain git. */
export async function compareCheckout({ folder, startHub }: Bench, count: number): Promise<void> {
  const places = { ours: join(folder, 'switch-ours'), git: join(folder, 'switch-git') }
  for (const place of Object.values(places)) {
    mkdirSync(place)
    makeBranches(place, count)
  }
  const ours = await startHub(places.ours)
  const branches = ['topic', 'main']
  let at = 0
  try {
    await compareWithGit(`git_checkout of ${count} files`, {
      prepare: () => void at++,
      ours: async () => {
        const branch = branches[at % 2] as string
        check(await ours.call('git_checkout', { branch }), branch)
      },
      git: () => run('git', ['-C', places.git, 'switch', '--quiet', branches[at % 2] as string]),
    })
  } finally {
    await ours.end()
  }
}

interface GitComparison {
  prepare(round: number): void
  ours(): Promise<unknown>
  git(): Promise<unknown>
}

async function compareWithGit(name: string, { prepare, ours, git }: GitComparison): Promise<void> {
  const times = { ours: [] as number[], git: [] as number[] }
  for (let round = 0; round <= STATUSES; round++) {
    prepare(round)
    const plain = await timed(git)
    const mine = await timed(ours)
    if (round === 0) continue
    times.git.push(plain)
    times.ours.push(mine)
  }
  const [mine, plain] = [median(times.ours), median(times.git)]
  console.log(`  ${name} ${mine.toFixed(1)} ms, plain git ${plain.toFixed(1)} ms`)
  tellVerdict({ name: `${name} against plain git`, measured: mine / plain, bar: '≤ 2', unit: '×' })
}
