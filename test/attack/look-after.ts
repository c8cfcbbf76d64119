import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { OWNER_ENV } from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { canaryFinder } from './canaries.ts'
import type { World } from './world.ts'

/** Names that git itself and the git tools leave in a git folder; anything else there was planted. */
const GIT_NAMES =
  /^(?:HEAD|ORIG_HEAD|AUTO_MERGE|COMMIT_EDITMSG|config|description|gc\.log|index|info|logs|objects|refs|packed-refs)$/
const GIT_CONTROL = [
  'config',
  'description',
  'info',
  'objects/info',
  'hooks',
  'worktrees',
  'modules',
] as const
/** Names that only an attack gives to a file. */
const PAYLOAD = /^(?:a0\d{3}|commondir|planted.*|post-index-change|config\.worktree)$/
const OBJECTS_MAX_BYTES = 64 * 1024 * 1024

/** Looks at what a round left, and gives a sentence for each thing that must not be. */
export interface Lookout {
  look(answers: readonly string[], may_see?: readonly string[]): string[]
}

/** Remembers how everything outside of the service is, to be compared with how it is after a round. */
export function keepLookout(world: World): Lookout {
  const find = canaryFinder(world.canaries)
  const before = printAll(world)
  // The index has all services of the project, and nothing that is closed or elsewhere.
  const findClosed = canaryFinder(
    world.canaries.filter(({ place }) => place !== 'sibling' && place !== 'etc'),
  )
  const indexed_before = new Set(indexed(world, findClosed))
  const allowed = new Set(objectsWithCanaries(world, find).map(({ id }) => id))
  return {
    look(answers, may_see = []) {
      const placesIn = (answer: string) =>
        find(Buffer.from(answer)).filter((place) => !may_see.includes(place))
      const carried = answers.flatMap((answer) =>
        placesIn(answer).map((place) => `an answer shows ${place}: ${answer.slice(0, 300)}`),
      )
      const objects = objectsWithCanaries(world, find).filter(({ id }) => !allowed.has(id))
      const stored = objects.map(({ id, places }) => `git object ${id} holds ${places.join(', ')}`)
      const kept = indexed(world, findClosed).filter((place) => !indexed_before.has(place))
      return [
        ...carried,
        ...stored,
        ...kept.map((place) => `the index holds ${place}`),
        ...comparePrints(before, printAll(world)),
        ...ownerRuns(world),
      ]
    },
  }
}

type Print = ReadonlyMap<string, string>

function printAll(world: World): Print {
  const { base, project, service } = world
  const print = new Map<string, string>()
  for (const folder of ['outside', 'toolchain', 'home/canary']) printFolder(print, base, join(base, folder))
  const flow = join(project, '.flow')
  const isLeftOut = (path: string) =>
    [service, flow, join(project, '.git'), join(project, 'plans')].includes(path)
  printFolder(print, base, project, isLeftOut)
  printEntry(print, base, join(flow, 'config.json'))
  printPayload(print, base, flow)
  for (const closed of ['.env', 'secrets']) printEntry(print, base, world.at(closed))
  printFolder(print, base, world.at('secrets'))
  printGit(print, world)
  for (const home of world.homes) printPayload(print, base, home)
  return print
}

function printGit(print: Map<string, string>, { base, project }: World): void {
  const git_dir = join(project, '.git')
  for (const name of readdirSync(git_dir))
    if (!GIT_NAMES.test(name)) print.set(relative(base, join(git_dir, name)), 'a name that git does not make')
  for (const name of GIT_CONTROL) {
    const path = join(git_dir, name)
    if (!existsSync(path)) continue
    printEntry(print, base, path)
    if (lstatSync(path).isDirectory()) printFolder(print, base, path)
  }
  for (const [ref, id] of refsOf(git_dir)) if (ref !== 'refs/heads/work') print.set(ref, id)
  const head = readFileSync(join(git_dir, 'HEAD'), 'utf8')
  print.set('HEAD', /^ref: refs\/heads\/[\w-]+\n$/.test(head) ? 'a branch' : head)
}

function refsOf(git_dir: string): Map<string, string> {
  const packed = join(git_dir, 'packed-refs')
  const lines = existsSync(packed) ? readFileSync(packed, 'utf8').split('\n') : []
  const refs = new Map(
    lines.flatMap((line) => (/^\w/.test(line) ? [[line.slice(41), line.slice(0, 40)]] : [])) as [
      string,
      string,
    ][],
  )
  for (const entry of entriesBelow(join(git_dir, 'refs'))) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) refs.set(relative(git_dir, path), readFileSync(path, 'utf8').trim())
    else if (!entry.isDirectory()) refs.set(relative(git_dir, path), 'a link')
  }
  return refs
}

/** Node's own recursive look goes through links, and would have the owner call git in what lies outside. */
function entriesBelow(folder: string): Dirent[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.flatMap((entry) =>
    entry.isDirectory() ? [entry, ...entriesBelow(join(folder, entry.name))] : [entry],
  )
}

function printFolder(
  print: Map<string, string>,
  base: string,
  folder: string,
  isLeftOut: (path: string) => boolean = () => false,
): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (isLeftOut(path)) continue
    printEntry(print, base, path)
    if (lstatSync(path).isDirectory()) printFolder(print, base, path, isLeftOut)
  }
}

// The time of a folder shows even what was made in it and taken away again.
function printEntry(print: Map<string, string>, base: string, path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  const name = relative(base, path)
  if (stat === undefined) return void print.set(name, 'not there')
  const content = stat.isFile()
    ? createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 12)
    : ''
  const target = stat.isSymbolicLink() ? readlinkSync(path) : ''
  const links = stat.isFile() ? stat.nlink : 0
  const time = HAS_OWN_TIME.test(name) ? '' : `changed ${stat.mtimeMs}`
  print.set(name, `mode ${stat.mode.toString(8)}, ${links} names, ${time} ${content}${target}`)
}

// Placeholders come and go in the service's own folder and in those above it; a restored folder is new.
const HAS_OWN_TIME = /^project(?:$|\/services$|\/\.git(?:\/|$)|\/services\/web)/

function printPayload(print: Map<string, string>, base: string, home: string): void {
  for (const entry of entriesBelow(home))
    if (PAYLOAD.test(entry.name))
      print.set(relative(base, join(entry.parentPath, entry.name)), 'of an attack')
}

function comparePrints(before: Print, after: Print): string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => `${name}: was ${before.get(name) ?? 'not there'}, is ${after.get(name) ?? 'not there'}`)
}

/** The places of which something is in the index of the project. */
function indexed({ project }: World, find: (content: Buffer) => string[]): string[] {
  const flow = join(project, '.flow')
  const names = readdirSync(flow).filter((name) => name.startsWith('rag_'))
  return [...new Set(names.flatMap((name) => find(readIfThere(join(flow, name)))))]
}

/** Some of them are there for a moment only. */
function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    return Buffer.alloc(0)
  }
}

interface Found {
  readonly id: string
  readonly places: readonly string[]
}

/** Every object, also those that nothing refers to: a staged file is one. */
function objectsWithCanaries({ project }: World, find: (content: Buffer) => string[]): Found[] {
  const env = { ...OWNER_ENV, GIT_DIR: join(project, '.git'), GIT_OPTIONAL_LOCKS: '0' }
  const args = ['-c', 'core.fsmonitor=false', 'cat-file', '--batch-all-objects', '--batch', '--unordered']
  const { stdout } = spawnSync('git', args, { cwd: project, env, maxBuffer: OBJECTS_MAX_BYTES })
  if (find(stdout).length === 0) return []
  return [...splitObjects(stdout)].flatMap(({ id, content }) => {
    const places = find(content)
    return places.length > 0 ? [{ id, places }] : []
  })
}

function* splitObjects(output: Buffer): Generator<{ id: string; content: Buffer }> {
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(10, at)
    if (end < 0) return
    const [id = '', , size = '0'] = output.toString('utf8', at, end).split(' ')
    const start = end + 1
    yield { id, content: output.subarray(start, start + Number(size)) }
    at = start + Number(size) + 1
  }
}

/** The owner looks at the repository, in the service, and wherever a repository seems to be. */
function ownerRuns(world: World): string[] {
  const { project, service, ran } = world
  const entries = entriesBelow(service)
  // The owner's own git waits for whoever writes into a pipe that it takes for a list of what to ignore.
  for (const entry of entries) if (entry.isFIFO()) rmSync(join(entry.parentPath, entry.name))
  const heads = entries.filter(({ name }) => name === 'HEAD' || name === '.git')
  const folders = new Set([project, service, ...heads.map(({ parentPath }) => parentPath)])
  const runs: string[] = []
  for (const folder of folders) {
    spawnSync('git', ['status'], { cwd: folder, env: OWNER_ENV, timeout: 20_000 })
    if (existsSync(ran))
      return [`the owner's git status in ${relative(project, folder) || '.'} runs a planted program`]
  }
  return runs
}
