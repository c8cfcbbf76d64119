import { lstatSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { compileNameRules, type NameRules } from './blocked-names.ts'
import { fileFault } from './faults.ts'
import { GuardDenied, type GuardScope } from './guard.ts'
import { at } from './kernel/descriptors.ts'
import type { LoadKernel } from './kernel/kernel-calls.ts'
import {
  commonFolder,
  describeRoot,
  holdRoot,
  type Root,
  realFolder,
  realPlace,
  releaseRoot,
} from './roots.ts'

const SHARED_ROOTS_MAX = 100
const STORES_MAX = 100
const CLOSED_PATHS_MAX = 100

/** A scope made ready: what every call of one guard works with. */
export interface OpenScope {
  /** Opens plain paths in one step; without these calls all are walked. Loading takes milliseconds. */
  readonly kernel: LoadKernel
  readonly service: Root
  readonly shared: readonly Root[]
  readonly names: NameRules
  /** Roots by each name they have; arriving at one exactly is the only way in from outside. */
  readonly roots_by_path: ReadonlyMap<string, Root>
  /** Innermost first. */
  readonly roots_by_depth: readonly Root[]
  readonly closed: ReadonlySet<string>
  /** Whether a root or a closed path lies below a root, so that places on the way have to be compared. */
  readonly has_inner: boolean
  readonly stores: readonly string[]
  /** The top folders that alone can be reached; undefined where all can. */
  readonly only_in: ReadonlySet<string> | undefined
}

/** Checks a scope and opens its service folder. */
export function openScope(scope: GuardScope, kernel: LoadKernel): OpenScope {
  checkCount('shared folders', scope.shared_roots, SHARED_ROOTS_MAX)
  checkCount('hard link stores', scope.hard_link_stores, STORES_MAX)
  checkCount('closed paths', scope.closed_paths ?? [], CLOSED_PATHS_MAX)
  const names = compileNameRules(scope.block_patterns)
  const service = describeRoot(scope.service_root, true, undefined)
  const shared = describeShared(scope, service)
  const roots = [service, ...shared]
  const closed = (scope.closed_paths ?? []).flatMap((path) => [
    realPlace(resolve(path)),
    realFolder(resolve(path)),
  ])
  if (scope.is_real && isAroundLink(service)) throw new GuardDenied('changed', '.')
  checkServicePlace(scope, service, names, closed)
  const inner = [...closed, ...roots.map((root) => root.path)]
  const opened: OpenScope = {
    kernel,
    service,
    shared,
    names,
    roots_by_path: new Map(
      roots.toReversed().flatMap((root) => [root.given, root.path].map((path) => [path, root])),
    ),
    roots_by_depth: roots.toSorted((a, b) => b.segments.length - a.segments.length),
    closed: new Set(closed),
    has_inner: inner.some((path) => roots.some((root) => path.startsWith(`${root.path}/`))),
    stores: scope.hard_link_stores.map((store) =>
      isAbsolute(store) ? realPlace(store) : join(service.path, store),
    ),
    only_in: scope.only_in && new Set(scope.only_in),
  }
  openService(service)
  return opened
}

/** Lets go of everything that a scope holds. */
export function closeScope({ service, shared }: OpenScope): void {
  for (const root of [service, ...shared]) releaseRoot(root)
}

/** The root that a place lies in; where roots lie in each other, the inner one decides. */
export function findRootOf({ roots_by_depth }: OpenScope, path: string): Root | undefined {
  return roots_by_depth.find((root) => path === root.path || path.startsWith(`${root.path}/`))
}

/** Whether files there may have several names. Most scopes have no such place, so the path is made when asked for. */
export function isInStore({ stores }: OpenScope, pathOf: () => string): boolean {
  if (stores.length === 0) return false
  const path = pathOf()
  return stores.some((store) => path.startsWith(`${store}/`))
}

/** Whether a place lies in one of the top folders that the scope is limited to. */
export function isWithinLimits(
  { service, only_in }: OpenScope,
  root: Root,
  names: readonly string[],
): boolean {
  if (only_in === undefined) return true
  const [top] = root === service ? names : (root.short_name ?? [])
  return top !== undefined && only_in.has(top)
}

/** How a place is called by, and shown to, callers: relative to the service, shared folders by their short name. */
export function renderPlace(scope: OpenScope, root: Root, names: readonly string[]): string {
  if (root === scope.service) return names.join('/') || '.'
  const inside = relative(scope.service.path, root.path)
  const { short_name } = root
  const short = inside.startsWith('..') && short_name !== undefined && !isOwnName(scope, short_name)
  return [...(short ? short_name : [inside]), ...names].join('/')
}

/** The shared folder that a relative path means by its short name; a folder of the service's own goes first. */
export function findByShortName(scope: OpenScope, names: readonly string[]): Root | undefined {
  const called = scope.shared.find((root) => root.short_name?.every((name, index) => name === names[index]))
  return called?.short_name !== undefined && !isOwnName(scope, called.short_name) ? called : undefined
}

function isOwnName({ service }: OpenScope, [first = '']: readonly string[]): boolean {
  return lstatSync(at(service.held?.fd ?? -1, first), { throwIfNoEntry: false }) !== undefined
}

function describeShared(scope: GuardScope, service: Root): Root[] {
  const shared = scope.shared_roots.map((given) => {
    const base = scope.project_root ?? commonFolder(service.given, resolve(given))
    return describeRoot(given, false, realFolder(resolve(base)))
  })
  const direct = scope.is_real ? shared.filter((root) => !isAroundLink(root)) : shared
  const different = direct.filter((root) => root.path !== service.path)
  return different.filter((root, index) => different.findIndex(({ path }) => path === root.path) === index)
}

function isAroundLink({ given, path }: Root): boolean {
  return given !== path
}

function openService(service: Root): void {
  try {
    holdRoot(service, '.')
  } catch (error) {
    if (!(error instanceof GuardDenied)) throw error
    throw fileFault('NotADirectory', '.', 'the service folder is missing, or is not a real folder')
  }
}

/** An agent that sits in a closed place would have all of it open: the policy, the repository, the hub itself. */
function checkServicePlace(
  { project_root }: GuardScope,
  { path }: Root,
  names: NameRules,
  closed: readonly string[],
): void {
  const below = project_root === undefined ? [] : relative(realFolder(resolve(project_root)), path).split('/')
  const isClosed = closed.some((place) => path === place || path.startsWith(`${place}/`))
  if (isClosed || below.some((name) => names.isClosed(name))) throw new GuardDenied('blocked', '.')
}

function checkCount(what: string, list: readonly unknown[], max: number): void {
  if (list.length > max) throw new Error(`more than ${max} ${what}`)
}
