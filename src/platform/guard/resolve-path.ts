import { fstatSync } from 'node:fs'
import { type FileFaultCode, GuardDenied } from './guard.ts'
import { type PathParts, parseInputPath } from './input-path.ts'
import { closeAll } from './kernel/descriptors.ts'
import { findByShortName, findRootOf, type OpenScope } from './open-scope.ts'
import { findPlainPlace } from './plain-place.ts'
import type { Root } from './roots.ts'
import { currentFolder, enterRoot, fdsOf, type Leaf, type Trail, takeStep } from './trail.ts'

const STEPS_MAX = 4_096

/** What a path was found to lead to, held by descriptors until closed. */
export interface Place {
  readonly root: Root
  /** From the root to the leaf as they really are, links followed; names that do not exist included. */
  readonly names: readonly string[]
  /** The folder that holds the leaf, or the last one that exists on the way to it. */
  readonly folder_fd: number
  /** Undefined where nothing is. A folder is its own leaf. */
  readonly leaf: Leaf | undefined
  /** Why there is no leaf. */
  readonly fault: FileFaultCode | undefined
  /** The names that would have to be made; none where that is impossible. */
  readonly missing: readonly string[]
  /** The root that the held folder belongs to; another one than `root` only where there is a fault. */
  readonly held_root: Root | undefined
  /** Whether it is known that no mount was crossed on the way from that root. */
  readonly is_on_mount: boolean
  /** Whether the last name of the path was a link. */
  readonly by_link: boolean
  /** All descriptors that are to be closed; who keeps one takes it out. */
  readonly fds: number[]
}

/** Finds out where a path leads. */
export function resolvePath(scope: OpenScope, given: string): Place {
  const parts = parseInputPath(given)
  return findPlainPlace(scope, given, parts) ?? walkPath(scope, given, parts)
}

/**
 * Walks a path name by name from a held root. No name is looked up other than below a held folder, and never
 * through a link: `..` goes back to the folder that the walk came from, and a link's target is walked by the same
 * rules. Beyond a root the walk only counts names, without touching the disk, until it arrives at a root again.
 */
function walkPath(scope: OpenScope, given: string, parts: PathParts): Place {
  const trail = startTrail(scope, given, parts)
  try {
    for (let steps = 0; trail.todo.length > 0; steps += 1) {
      if (steps >= STEPS_MAX) throw new GuardDenied('link_loop', given)
      takeStep(trail, trail.todo.pop() as string)
    }
    return finish(trail)
  } catch (error) {
    closeAll(fdsOf(trail))
    throw error
  }
}

function startTrail(scope: OpenScope, given: string, { absolute, names }: PathParts): Trail {
  const trail: Trail = {
    scope,
    given,
    todo: names.toReversed(),
    root: undefined,
    names: [],
    fds: [],
    leaf: undefined,
    lexical: [],
    stuck: undefined,
    links: 0,
    by_link: false,
  }
  if (absolute) return trail
  enterRoot(trail, scope.service)
  const shared = findByShortName(scope, names)
  if (shared?.short_name === undefined) return trail
  trail.todo.length -= shared.short_name.length
  enterRoot(trail, shared)
  return trail
}

function finish(trail: Trail): Place {
  const { given, root, names, by_link } = trail
  const folder_fd = currentFolder(trail)
  const held = { folder_fd, held_root: root, is_on_mount: false, by_link, fds: fdsOf(trail) }
  if (trail.lexical) return { ...held, ...finishLexically(trail, trail.lexical), leaf: undefined }
  if (root === undefined) throw new GuardDenied('outside', given)
  const leaf = trail.leaf ?? { fd: folder_fd, stat: fstatSync(folder_fd, { bigint: true }) }
  return { ...held, root, names, leaf, fault: undefined, missing: [] }
}

function finishLexically({ scope, given, stuck }: Trail, lexical: string[]) {
  const root = stuck && findRootOf(scope, `/${lexical.join('/')}`)
  if (stuck === undefined || root === undefined) throw new GuardDenied('outside', given)
  return { root, names: lexical.slice(root.segments.length), fault: stuck.code, missing: stuck.missing }
}
