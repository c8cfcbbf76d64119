import { posix } from 'node:path'

/** How files of tests are called, language by language; what is left without the mark is the name of the source. */
const MARKS: readonly RegExp[] = [
  /^(.+?)[._-](?:test|tests|spec|specs|e2e|cy)$/i,
  /^(?:test|tests|spec)[._-](.+)$/i,
  /^(.+?)(?:Tests|Test|IT|TestCase|Spec|Specs)$/,
  /^Test([A-Z].*)$/,
]
const TEST_FOLDERS = new Set(['test', 'tests', '__tests__', 'spec', 'specs', 'e2e', 'testing'])
const CODE =
  /\.(?:[cm]?[jt]sx?|pyi?|go|rs|java|kt|kts|scala|rb|php|cs|fs|swift|c|cc|cpp|m|dart|ex|exs|lua|zig)$/i
const NO_TESTS = new Set(['__init__', 'conftest', 'setup', 'mod'])

/** A file's name without its ending. */
export function stemOf(path: string): string {
  return posix.basename(path).replace(/\.[^.]+$/, '')
}

/** What the name of a file says that it tests; undefined where it does not have the form. */
export function findTestedName(path: string): string | undefined {
  const stem = stemOf(path)
  for (const mark of MARKS) {
    const name = mark.exec(stem)?.[1]
    if (name !== undefined) return name
  }
  return undefined
}

/** Whether a path is one of a test, by its name or by a folder that holds nothing else. */
export function isTestPath(path: string): boolean {
  if (!CODE.test(path)) return false
  if (findTestedName(path) !== undefined) return true
  // `tests.rs` beside its module, and `tests.py` of a Django app.
  if (/^tests?$/i.test(stemOf(path))) return true
  const folders = path.split('/').slice(0, -1)
  const is_in_tests = folders.some((name) => TEST_FOLDERS.has(name)) && !/fixtures?/i.test(path)
  return is_in_tests && !NO_TESTS.has(stemOf(path))
}

const STANDING = /^(?:index|mod|__init__|lib|main)$/
const LAYERS = new Set([
  ...TEST_FOLDERS,
  'src',
  'lib',
  'main',
  'java',
  'kotlin',
  'unit',
  'integration',
  'app',
])

/** Whether files of this name stand for their folder. */
export function isStanding(stem: string): boolean {
  return STANDING.test(stem)
}

/** The names by which tests may call a source: its own, and its folder's where it stands for that. */
export function sourceNames(path: string): string[] {
  const stem = stemOf(path)
  const folder = posix.basename(posix.dirname(path))
  return STANDING.test(stem) && folder !== '.' && folder !== '' ? [stem, folder] : [stem]
}

/** One spelling for `FooBar`, `foo_bar` and `foo-bar`; `.svelte` before an ending says how it is compiled. */
export function foldStem(name: string): string {
  return name
    .replace(/\.svelte$/i, '')
    .replaceAll(/[-_.]/g, '')
    .toLowerCase()
}

/** How alike the places of a test and a source are, from 0 to 1, apart from folders such as `src` and `tests`. */
export function likenessOfPlaces(test: string, source: string): number {
  const [one, other] = [placeOf(test), placeOf(source)]
  if (one.length === 0 || other.length === 0) return one.length === other.length ? 1 : 0.5
  let equal = 0
  while (equal < Math.min(one.length, other.length) && one.at(-1 - equal) === other.at(-1 - equal)) equal += 1
  return equal / Math.max(one.length, other.length)
}

function placeOf(path: string): string[] {
  return path
    .split('/')
    .slice(0, -1)
    .filter((name) => !LAYERS.has(name))
}
