import { closeSync, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { tryQuietly } from '../../guard/faults.ts'
import { READ_NAME } from '../../guard/kernel/descriptors.ts'
import { type IgnoreRules, readIgnoreRules } from './index-ignore.ts'

/** The name of the files that say what git leaves out. */
export const IGNORE_FILE = '.gitignore'

const IGNORE_MAX_BYTES = 1_048_576
/** Folders are looked for upwards no further than this. */
const DEPTH_LIMIT = 64

/** What git ignores in a project: the rules that come from above it, and how its paths are called by them. */
export interface IgnoreStart {
  /** What stands before the project's paths when they count from the top of the work tree. */
  readonly prefix: string
  readonly rules: IgnoreRules | undefined
}

/** Finds the work tree that a project is, or lies in; undefined where there is none, and then nothing is ignored. */
export function findIgnoreStart(project_root: string): IgnoreStart | undefined {
  const folders = [project_root]
  for (let depth = 0; depth < DEPTH_LIMIT; depth += 1) {
    const folder = folders.at(-1) as string
    if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false })) return startFrom(folders.toReversed())
    const above = dirname(folder)
    if (above === folder) return undefined
    folders.push(above)
  }
  return undefined
}

/** The rules for what is in a folder: those from above with its own, where it has some. */
export function rulesInFolder(folder: string, base: string, above: IgnoreRules | undefined) {
  const text = tryQuietly(() => readSmallFile(join(folder, IGNORE_FILE)))
  return text === undefined ? above : readIgnoreRules(base, text, above)
}

function startFrom([top = '', ...below]: readonly string[]): IgnoreStart {
  const project = below.at(-1) ?? top
  // The project's own file is read by the walk, like that of any folder in it.
  const outer = project === top ? [] : [top, ...below.slice(0, -1)]
  let rules: IgnoreRules | undefined
  for (const folder of outer) rules = rulesInFolder(folder, asPrefix(relative(top, folder)), rules)
  return { prefix: asPrefix(relative(top, project)), rules }
}

function asPrefix(path: string): string {
  return path === '' ? '' : `${path}/`
}

/** Links are not followed, as git does not. */
function readSmallFile(path: string): string | undefined {
  const fd = openSync(path, READ_NAME)
  try {
    const stat = fstatSync(fd)
    return stat.isFile() && stat.size <= IGNORE_MAX_BYTES ? readFileSync(fd, 'utf8') : undefined
  } finally {
    closeSync(fd)
  }
}
