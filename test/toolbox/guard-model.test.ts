import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { Guard } from '../../src/platform/guard/guard.ts'
import { findMemoryFolder, outcomeOf } from '../../src/platform/guard/guard-project.fixture.ts'
import { openGuard } from '../../src/platform/guard/open-guard.ts'
import { verifies } from '../requirements/verifies.ts'
import {
  type Answer,
  buildTree,
  type Folder,
  find,
  isFolder,
  isInService,
  isLink,
  listInModel,
  renderInModel,
  resolveInModel,
  type Thing,
  type World,
} from './guard-model.fixture.ts'

const TREES = 1_000
const PATHS_PER_TREE = 10
const NAMES = [
  'a',
  'b',
  'c.txt',
  'shared',
  'svc',
  '.env',
  '.ENV.x',
  '.environment',
  '.git',
  'secrets',
  '.lock.a',
]

let base: string

beforeAll(() => {
  base = mkdtempSync(join(findMemoryFolder(), 'guard-model-'))
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

const name = fc.oneof({ weight: 4, arbitrary: fc.constantFrom('a', 'b') }, fc.constantFrom(...NAMES))
const step = fc.oneof(
  { weight: 3, arbitrary: name },
  fc.constantFrom('..', '..', '.', '', 'services', 'other'),
)
const relative = fc.array(step, { minLength: 1, maxLength: 6 }).map((steps) => steps.join('/') || '.')
const knownStart = fc.constantFrom('services/svc', 'shared', 'services/other', 'services/svc/../svc', '')
/** `@` stands for the folder that the world lies in. */
const absolute = fc.tuple(knownStart, relative).map(([start, rest]) => `@/${start}/${rest}`)
const path = fc.oneof(
  { weight: 6, arbitrary: relative },
  { weight: 2, arbitrary: absolute },
  fc.constantFrom('/etc/passwd', '/', '../svc/a', '../../shared/a', 'shared/a', 'a/../../other/a'),
)

const { folder } = fc.letrec<{ thing: Thing; folder: Folder }>((tie) => ({
  thing: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 3, arbitrary: fc.constantFrom('one', 'two') },
    { weight: 3, arbitrary: fc.tuple(path) },
    { weight: 3, arbitrary: tie('folder') },
  ),
  folder: fc.dictionary(name, tie('thing'), { maxKeys: 5, noNullPrototype: true }),
}))

const world = fc.record({
  service: folder,
  other: fc.constant<Folder>({ a: 'outside', b: { a: 'outside' } }),
  shared: fc.option(folder, { nil: undefined }),
})
const uses = fc.array(path, { minLength: PATHS_PER_TREE, maxLength: PATHS_PER_TREE })
const change = fc.record({ kind: fc.constantFrom('write', 'write', 'delete'), path })

function placeLinks(thing: Thing): Thing {
  if (typeof thing === 'string') return thing
  if (isLink(thing)) return [thing[0].replace('@', base)]
  return Object.fromEntries(Object.entries(thing).map(([key, value]) => [key, placeLinks(value)]))
}

function makeWorld({
  service,
  other,
  shared,
}: {
  service: Folder
  other: Folder
  shared: Folder | undefined
}): World {
  const tree = placeLinks({ services: { svc: service, other }, ...(shared && { shared }) })
  return { base, tree: tree as Folder }
}

function readTree(place: string): Folder {
  return Object.fromEntries(
    readdirSync(place, { withFileTypes: true }).map((entry) => {
      const below = join(place, entry.name)
      if (entry.isSymbolicLink()) return [entry.name, [readlinkSync(below)]]
      return [entry.name, entry.isDirectory() ? readTree(below) : readFileSync(below, 'utf8')]
    }),
  )
}

/** What the guard says to the four uses that change nothing: what it gives, or how it refuses. */
function askGuard(guard: Guard, asked: string): unknown {
  const list = () => guard.list(asked, { recursive: true, limit: 1_000 }).entries.map((entry) => entry.path)
  return {
    read: resultOf(() => guard.readFile(asked, 100).bytes.toString()),
    list: resultOf(list),
    locate: resultOf(() => guard.locate(asked)),
    write: outcomeOf(() => guard.check(asked, 'write')),
  }
}

function resultOf(use: () => unknown): unknown {
  let result: unknown
  const outcome = outcomeOf(() => {
    result = use()
  })
  return outcome === 'ok' ? result : outcome
}

function askModel(made: World, asked: string): unknown {
  const answer = resolveInModel(made, asked)
  const thing = 'place' in answer && !answer.fault ? find(made, answer.place) : undefined
  const reading = 'denied' in answer ? `denied ${answer.denied}` : answer.fault
  const writing = outcomeOfWrite(answer, thing)
  return {
    read: reading ?? (typeof thing === 'string' ? thing : 'IsADirectory'),
    list:
      reading ?? (isFolder(thing) && 'place' in answer ? listOf(made, thing, answer.place) : 'NotADirectory'),
    locate: writing === 'ok' || writing === 'IsADirectory' ? locateIn(made, answer, thing) : writing,
    write: writing,
  }
}

function listOf(made: World, thing: Folder, place: string[]): string[] {
  const shown = renderInModel(made, place)
  return listInModel(thing, shown === '.' ? '' : `${shown}/`)
}

function locateIn(made: World, answer: Answer, thing: Thing | undefined): unknown {
  return 'place' in answer && { path: renderInModel(made, answer.place), exists: thing !== undefined }
}

function outcomeOfWrite(answer: Answer, thing: Thing | undefined): string {
  if ('denied' in answer) return `denied ${answer.denied}`
  if (!isInService(answer.place)) return 'denied read_only'
  if (answer.fault) return answer.can_make ? 'ok' : answer.fault
  return typeof thing === 'string' ? 'ok' : 'IsADirectory'
}

/** Does to the model what the guard should have done to the disk, and says how that should have ended. */
function changeModel(made: World, kind: string, asked: string): string {
  const answer = resolveInModel(made, asked)
  const thing = 'place' in answer && !answer.fault ? find(made, answer.place) : undefined
  const outcome = outcomeOfWrite(answer, thing)
  if (!('place' in answer) || outcome === 'denied read_only') return outcome
  if (kind === 'delete' && answer.by_link) return 'ValidationError'
  if (kind === 'delete' && answer.fault) return answer.fault
  if (outcome !== 'ok') return outcome
  const above = answer.place.slice(0, -1).reduce((at: Folder, key) => (at[key] ??= {}) as Folder, made.tree)
  if (kind === 'delete') delete above[answer.place.at(-1) as string]
  else above[answer.place.at(-1) as string] = 'written'
  return outcome
}

let has_kernel_calls = true

function inWorld(made: World, run: (guard: Guard) => void): void {
  buildTree(base, made.tree)
  const scope = { service_root: `${base}/services/svc`, shared_roots: [`${base}/shared`] }
  const opened = { ...scope, block_patterns: [], hard_link_stores: [] }
  const guard = openGuard(opened, has_kernel_calls ? undefined : () => undefined)
  try {
    run(guard)
  } finally {
    guard.close()
    for (const entry of readdirSync(base)) rmSync(join(base, entry), { recursive: true })
  }
}

describe.each(['plain', 'kernel'] as const)('by %s calls', (which) => {
  beforeAll(() => void (has_kernel_calls = which === 'kernel'))

  verifies(
    ['TOOL-068', 'TOOL-071', 'TOOL-072', 'TOOL-073', 'TOOL-075', 'TOOL-044'],
    'any path in any tree of folders, files and links is judged, read and listed as a plain model says',
    () => {
      fc.assert(
        fc.property(world, uses, (parts, paths) => {
          const made = makeWorld(parts)
          inWorld(made, (guard) => {
            const asked = paths.map((one) => one.replace('@', base))
            const answers = asked.map((one) => [one, askGuard(guard, one)])
            expect(answers).toEqual(asked.map((one) => [one, askModel(made, one)]))
            expect(readTree(base)).toEqual(made.tree)
          })
        }),
        { numRuns: TREES },
      )
    },
    120_000,
  )

  verifies(
    ['TOOL-069', 'TOOL-045', 'TOOL-075'],
    'any write or deletion changes exactly what a plain model says, and nothing if it is refused',
    () => {
      fc.assert(
        fc.property(world, fc.array(change, { minLength: 6, maxLength: 6 }), (parts, changes) => {
          const made = makeWorld(parts)
          inWorld(made, (guard) => {
            for (const { kind, path: written } of changes) {
              const asked = written.replace('@', base)
              const use = () =>
                kind === 'write' ? guard.writeFile(asked, Buffer.from('written')) : guard.deleteFile(asked)
              expect([kind, asked, outcomeOf(use)]).toEqual([kind, asked, changeModel(made, kind, asked)])
              expect(readTree(base)).toEqual(made.tree)
            }
          })
        }),
        { numRuns: TREES },
      )
    },
    120_000,
  )
})
