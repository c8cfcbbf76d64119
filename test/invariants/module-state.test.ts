import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** Files with module-level state, and why it cannot be an argument. */
const REASONS: Readonly<Record<string, string>> = {
  'src/platform/basics/mutex.ts':
    'the mutexes and slots of the process: what they bound are its threads, children and memory, however many hubs it has open',
  'src/platform/basics/c-library.ts': 'functions of the C library, which are declared once in a process',
  'src/platform/guard/drafts/sweep-drafts.ts':
    'when a folder was last swept for drafts that were left behind, whichever guard writes into it',
  'src/platform/sandbox/mount-point.ts':
    'how many commands of this process need a placeholder on the disk, which one of them made and the last one removes',
  'src/platform/sandbox/usage/watch-memory.ts':
    'the commands of this process: the machine tells its shared memory as one number, and it is shared out among them',
  'src/platform/knowledge/vectors/static-embedder.ts':
    'the table of word vectors, which is large, read once and never changed',
  'src/platform/knowledge/words/chunk-terms.ts':
    'the terms of the document at hand: its words and its vectors are made of the same ones, in two rooms',
  'src/domains/toolbox/search/search-tree.ts':
    'the threads of searches: they belong to the process, and none is there while nobody searches',
  'src/platform/redaction/looks/key-names.ts':
    'a bounded cache of what names say, a function of the name alone: texts have the same few again and again',
  'src/platform/upstream/payload-schema.ts':
    'one compiler of JSON Schema for each draft, and the checks it made, kept with their schemas',
}
const PLACES_MAX = 10

/** A variable, or a table that begins empty or is made by one of our own functions that keep things. */
const VARIABLE = /^(?:export )?let (\w+)/gm
const TABLE =
  /^(?:export )?const (\w+)(?:: (?!Readonly)[^=\n]+)? = (?:new (?:Map|Set|WeakMap|WeakSet)(?:<.*>)?\(\)|\[\]$|Buffer\.alloc|Object\.create\(null\)|(?:boundedCache|cachePerObject|open[A-Z]\w*|underWay)(?:<[^(]*>)?\()/gm

function stateOf(text: string): string[] {
  return [VARIABLE, TABLE].flatMap((pattern) => [...text.matchAll(pattern)].map(([, name]) => name as string))
}

test('state is found where there is some', () => {
  const text = [
    'let a = 1',
    'export let b: string | undefined',
    'const c = new Map<string, Map<string, number>>()',
    'export const d: Set<string> = new Set()',
    'const e = cachePerObject((hub: Hub) => 1)',
    'const f = boundedCache<Seen>(3, make)',
    'const waiting: Waiting[] = []',
    'const NAMES = new Set(["a"])',
    '  let inner = 1',
    'const turnsOfPhrase = 3',
    'const NOTHING: ReadonlySet<string> = new Set()',
  ].join('\n')
  expect(stateOf(text)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'waiting'])
})

test('a module keeps state only where a reason is written down', () => {
  const found = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.test|\.fixture|\.d)\.ts$/.test(entry.name))
    .flatMap((entry) => {
      const path = join(entry.parentPath, entry.name)
      return stateOf(readFileSync(path, 'utf8')).map((name) => `${relative(ROOT, path)}: ${name}`)
    })
    .toSorted()
  const files = new Set(found.map((place) => place.split(': ')[0]))
  expect(found.filter((place) => !REASONS[place.split(': ')[0] as string])).toEqual([])
  expect(Object.keys(REASONS).filter((file) => !files.has(file))).toEqual([])
  expect(files.size).toBeLessThanOrEqual(PLACES_MAX)
})
