import { compileNameRules } from '../../../platform/guard/blocked-names.ts'
import type { ProjectPolicy } from '../policy/project-policy.ts'

/** Tells whether a path leads to or through a name that is closed to every tool. */
export function closedPaths(policy: Pick<ProjectPolicy, 'block_patterns'>): (path: string) => boolean {
  const { isClosed } = compileNameRules(policy.block_patterns)
  return (path) => path.split('/').some(isClosed)
}

/** Paths of a repository, as git lists them with `-z`, sorted by whom they belong to. */
export interface SortedPaths {
  /** Relative to the service. */
  readonly own: readonly string[]
  /** In the service, but closed; relative to the service. */
  readonly closed: readonly string[]
  /** Relative to the work tree. */
  readonly foreign: readonly string[]
}

/** Sorts paths that are relative to the work tree. */
export function sortPaths(
  paths: Iterable<string>,
  prefix: string,
  policy: Pick<ProjectPolicy, 'block_patterns'>,
): SortedPaths {
  const [own, closed, foreign]: [string[], string[], string[]] = [[], [], []]
  const isClosed = closedPaths(policy)
  for (const path of new Set(paths)) {
    const below = path.slice(prefix.length)
    if (!path.startsWith(prefix) || below === '') foreign.push(path)
    else if (isClosed(below)) closed.push(below)
    else own.push(below)
  }
  return { own, closed, foreign }
}

/** The names in a list that git ended with NUL each. */
export function splitNames(text: string): string[] {
  return text.split('\0').filter((name) => name !== '')
}

const SHOWN_PATHS = 10

/** A few paths for a message. */
export function renderPaths(paths: readonly string[]): string {
  const shown = paths.slice(0, SHOWN_PATHS).join(', ')
  return paths.length > SHOWN_PATHS ? `${shown} and ${paths.length - SHOWN_PATHS} more` : shown
}
