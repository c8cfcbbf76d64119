import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
/** Cycles that are still there. An entry that no longer is one fails the test, and is taken out. */
const ALLOWED: readonly string[][] = []

const STATEMENT = /(?:^|\n)\s*(?:import|export)\b([^'"`;]*?)from\s*'(\.[^']+)'|(?:^|\n)import\s+'(\.[^']+)'/g

const sources = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /(?<!\.test|\.fixture|\.d)\.ts$/.test(entry.name))
  .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
  .toSorted()

/** The files whose code must have run before this one's: what is imported as a type alone is not loaded. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return [...text.matchAll(STATEMENT)]
    .filter(([, names = '']) => !isOfTypesAlone(names))
    .map(([, , from, bare]) => join(dirname(file), (from ?? bare) as string))
}

function isOfTypesAlone(names: string): boolean {
  if (/^\s*type\s/.test(names)) return true
  const listed = /^\s*\{([^}]*)\}\s*$/
    .exec(names)?.[1]
    ?.split(',')
    .map((name) => name.trim())
  return listed?.every((name) => name === '' || name.startsWith('type ')) ?? false
}

/** Groups of files each of which reaches all others of its group (Tarjan's strongly connected components). */
function findCycles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const [index, low, stack, cycles] = [
    new Map<string, number>(),
    new Map<string, number>(),
    [] as string[],
    [] as string[][],
  ]
  const visit = (file: string): number => {
    const own = index.size
    index.set(file, own)
    low.set(file, own)
    stack.push(file)
    for (const next of edges.get(file) ?? []) {
      const reached = index.has(next)
        ? stack.includes(next)
          ? (index.get(next) as number)
          : own
        : visit(next)
      low.set(file, Math.min(low.get(file) as number, reached))
    }
    if (low.get(file) === own) {
      const group = stack.splice(stack.indexOf(file))
      if (group.length > 1 || edges.get(file)?.includes(file)) cycles.push(group.toSorted())
    }
    return low.get(file) as number
  }
  for (const file of edges.keys()) if (!index.has(file)) visit(file)
  return cycles.toSorted()
}

test('cycles are found where there are some', () => {
  const edges = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['a']],
    ['d', ['d']],
    ['e', ['a']],
  ])
  expect(findCycles(edges)).toEqual([['a', 'b', 'c'], ['d']])
  expect(
    ['type A', ' { type A, type B } ', ' { type A, b } ', ' * as all ', ' { b } '].map(isOfTypesAlone),
  ).toEqual([true, true, false, false, false])
})

test('no files import each other in a circle', () => {
  const edges = new Map(sources.map((file) => [file, importsOf(file)]))
  expect([...edges.values()].flat().length).toBeGreaterThan(1_000)
  expect(findCycles(edges)).toEqual(ALLOWED)
})
