import { lstatSync } from 'node:fs'
import { isAbsolute, join, posix, relative } from 'node:path'
import { guardScopeOf } from '../../guard-scope.ts'
import type { ProjectPolicy } from '../../policy/project-policy.ts'
import type { ToolContext } from '../../tool-context.ts'

/** Folders of a project whose documents every seat finds, whether or not it can read the files. */
export const KNOWLEDGE_FOLDERS = ['docs', 'src/core', 'tests'] as const

/** What a seat finds in its project, and how that is called. */
export interface SearchScope {
  /** Folders relative to the project, with `/` at the end; the empty text is the project itself. */
  readonly prefixes: readonly string[]
  /** The prefixes within what a caller's path names; none where it names nothing that the seat may find. */
  narrow(path: string): readonly string[]
  /** Whether a caller's path names something below the service of the seat, be it there or not. */
  isInService(path: string): boolean
  /** How a found file is called by the tools of the seat, and whether they can read it. */
  show(path: string): { path: string; readable: boolean }
}

/** The scope of a seat: its service, shared folders, and the knowledge folders of the project. */
export function searchScopeOf(context: ToolContext, policy: ProjectPolicy): SearchScope {
  const { project_root, service_root } = context
  const { only_in } = guardScopeOf(context, policy)
  const service = asPrefix(relative(project_root, service_root))
  const isOpen = (prefix: string) => !only_in || only_in.includes(prefix.split('/')[0] ?? '')
  const own = only_in ? only_in.map((top) => `${service}${top}/`) : [service]
  const shared = policy.shared_roots.map((root) => asPrefix(relative(project_root, root))).filter(isOpen)
  const knowledge = [...KNOWLEDGE_FOLDERS, ...policy.knowledge_paths].map(asPrefix).filter(isOpen)
  const prefixes = [...new Set([...own, ...shared, ...knowledge])]
  const isOwnName = (path: string) => exists(join(service_root, path.split('/')[0] ?? ''))
  const where = { project_root, service, prefixes, isOwnName }
  return {
    prefixes,
    narrow: (path) => narrowTo(locate(path, where), prefixes, project_root),
    isInService(path) {
      const wanted = asPrefix(locate(path, where))
      return wanted !== service && wanted.startsWith(service)
    },
    show(path) {
      if (path.startsWith(service)) return { path: path.slice(service.length), readable: isIn(path, own) }
      const shown = isOwnName(path) ? posix.relative(`/${service}`, `/${path}`) : path
      return { path: shown, readable: isIn(path, shared) }
    },
  }
}

function isIn(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(folder))
}

interface Where {
  readonly project_root: string
  readonly service: string
  readonly prefixes: readonly string[]
  isOwnName(path: string): boolean
}

/** What a caller's path is, relative to the project: in the service first, then among what lies outside of it. */
function locate(path: string, { project_root, service, prefixes, isOwnName }: Where): string {
  if (isAbsolute(path)) return trimSlash(relative(project_root, path))
  const inside = trimSlash(posix.normalize(posix.join('/', service, path)).slice(1))
  const [first = ''] = path.split('/')
  if (first === '.' || first === '..' || isOwnName(path)) {
    // Above the project there is nothing: `join` stops at its top, which is not what the path says.
    return posix.normalize(posix.join(service, path)).startsWith('..') ? '..' : inside
  }
  const plain = trimSlash(posix.normalize(path))
  return meets(plain, prefixes).some((prefix) => !prefix.startsWith(service) || service === '')
    ? plain
    : inside
}

function narrowTo(path: string, prefixes: readonly string[], project_root: string): readonly string[] {
  if (path.startsWith('..')) return []
  const narrowed = meets(path, prefixes)
  // A file's own name is no beginning of others: what only looks like it is left out by the caller.
  return narrowed.map((prefix) => (prefix === `${path}/` && isFile(join(project_root, path)) ? path : prefix))
}

/** What is both in the folder or file of a path and in one of the prefixes. */
function meets(path: string, prefixes: readonly string[]): string[] {
  const wanted = asPrefix(path)
  const found = prefixes.flatMap((prefix) => {
    if (wanted.startsWith(prefix)) return [wanted]
    return prefix.startsWith(wanted) ? [prefix] : []
  })
  return [...new Set(found)]
}

function asPrefix(path: string): string {
  const trimmed = trimSlash(path)
  return trimmed === '' || trimmed === '.' ? '' : `${trimmed}/`
}

function trimSlash(path: string): string {
  return path === '.' ? '' : path.replace(/\/{1,64}$/, '')
}

function exists(path: string): boolean {
  return findStats(path) !== undefined
}

function isFile(path: string): boolean {
  return findStats(path)?.isFile() ?? false
}

function findStats(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
