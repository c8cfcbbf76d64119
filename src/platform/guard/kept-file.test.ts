import {
  appendFileSync,
  chmodSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Guard, HeldFolder } from './guard.ts'
import { makeProject, type Project } from './guard-project.fixture.ts'

const FIRST = 'first content'

/** What somebody else may do to a file while it is held. */
const DEEDS: Record<string, (path: string) => void> = {
  'write the same': (path) => writeFileSync(path, FIRST),
  'write as much': (path) => writeFileSync(path, 'other content'),
  'write more': (path) => appendFileSync(path, '!'),
  'write less': (path) => writeFileSync(path, FIRST.slice(1)),
  'close it to others': (path) => chmodSync(path, 0o600),
  'open it again': (path) => chmodSync(path, 0o640),
  'set its time': (path) => utimesSync(path, 1, 1),
  'put its copy there': (path) => replaceBy(path, FIRST),
  'put another there': (path) => replaceBy(path, 'other content'),
  'remove it': (path) => rmSync(path),
  'put a link to its copy there'(path) {
    replaceBy(`${path}.copy`, FIRST)
    rmSync(path)
    symlinkSync(`${path}.copy`, path)
  },
}

function replaceBy(path: string, text: string): void {
  writeFileSync(`${path}.new`, text)
  chmodSync(`${path}.new`, 0o640)
  renameSync(`${path}.new`, path)
}

type Work = (held: HeldFolder, path: string, project: Project) => unknown

async function withHeld(work: Work): Promise<void> {
  const project = makeProject()
  try {
    await holdAnew(project, project.open(), work)
  } finally {
    project.remove()
  }
}

/** Holds a file that was just made, in a folder where nothing else has been done to it. */
async function holdAnew(project: Project, guard: Guard, work: Work): Promise<void> {
  const path = project.in('src/main.ts')
  for (const left of [path, `${path}.new`, `${path}.copy`]) rmSync(left, { force: true })
  writeFileSync(path, FIRST)
  chmodSync(path, 0o640)
  const held = guard.holdFolder('src/main.ts')
  try {
    await work(held, path, project)
  } finally {
    held.close()
  }
}

/**
 * The same for any few deeds, each time with a new file and a new hold. The project around it stays: making it takes
 * sixty files and a process, which is nearly all that a round would cost.
 */
async function forAnyDeeds(size: fc.ArrayConstraints, numRuns: number, work: DeedWork): Promise<void> {
  const project = makeProject()
  try {
    const guard = project.open()
    const deeds = fc.array(fc.constantFrom(...Object.keys(DEEDS)), size)
    const round = (names: string[]) => holdAnew(project, guard, (held, path) => work(held, path, names))
    await fc.assert(fc.asyncProperty(deeds, round), { numRuns })
  } finally {
    project.remove()
  }
}

type DeedWork = (held: HeldFolder, path: string, names: readonly string[]) => unknown

function doAll(names: readonly string[], path: string): void {
  for (const name of names) if (lstatSync(path, { throwIfNoEntry: false })) DEEDS[name]?.(path)
}

/** The same question, asked by name. */
function hasStill(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isFile() === true && (stat.mode & 0o7777) === 0o640 && readFileSync(path, 'utf8') === FIRST
}

test('a kept file is still itself when its name has this content and mode, whatever was done meanwhile', () =>
  forAnyDeeds({ maxLength: 4 }, 150, (held, path, names) => {
    const kept = held.readWithRights('main.ts', 1_000)
    doAll(names, path)
    expect(kept && held.hasStill('main.ts', kept)).toBe(hasStill(path))
  }))

test('a file that was kept is replaced in one step, and nothing stays beside it', () =>
  withHeld(async (held, path, project) => {
    const before = readdirSync(project.in('src'))
    const kept = held.readWithRights('main.ts', 1_000)
    if (!kept) throw new Error('there is no file')
    expect([kept.bytes.toString(), kept.mode, held.hasStill('main.ts', kept)]).toEqual([FIRST, 0o640, true])
    const ready = await held.prepare(Buffer.from('new'), kept)
    ready.putAs('main.ts')
    ready.close()
    expect([readFileSync(path, 'utf8'), lstatSync(path).mode & 0o7777]).toEqual(['new', 0o640])
    expect(held.hasStill('main.ts', kept)).toBe(false)
    expect(readdirSync(project.in('src'))).toEqual(before)
  }))

test('there is nothing to keep where there is no file, and too large a one is refused', () =>
  withHeld((held) => {
    expect(held.readWithRights('nothing', 10)).toBeUndefined()
    expect(() => held.readWithRights('main.ts', 3)).toThrow('larger than 3 bytes')
  }))

/** What a file says and who may use it, asked by name; nothing where there is no file. */
function seenByName(path: string): [string, number] | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isFile() ? [readFileSync(path, 'utf8'), stat.mode & 0o7777] : undefined
}

test('what is kept is what the name has by then, whatever was done since the folder was taken', () =>
  forAnyDeeds({ minLength: 1, maxLength: 3 }, 60, (held, path, names) => {
    doAll(names, path)
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      return expect(() => held.readWithRights('main.ts', 1_000)).toThrow('changed')
    const kept = held.readWithRights('main.ts', 1_000)
    expect(kept && [kept.bytes.toString(), kept.mode]).toEqual(seenByName(path))
  }))

test('a file that was too large when its folder was taken is kept when it has become smaller since', () =>
  withHeld((held, path) => {
    writeFileSync(path, 'less')
    const kept = held.readWithRights('main.ts', FIRST.length - 1)
    expect(kept?.bytes.toString()).toBe('less')
  }))

test('a second name that a file got since its folder was taken is seen', () =>
  withHeld((held, path) => {
    linkSync(path, `${path}.second`)
    expect(() => held.readWithRights('main.ts', 1_000)).toThrow('hard_link')
  }))
