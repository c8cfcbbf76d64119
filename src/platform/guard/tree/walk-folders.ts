import { closeSync, type Dirent, openSync } from 'node:fs'
import { fileFault, tryQuietly } from '../faults.ts'
import type { WalkEnd } from '../guard.ts'
import { DEPTH_MAX } from '../input-path.ts'
import { at, NAME_FOLDER } from '../kernel/descriptors.ts'
import { holdAgain } from '../kernel/folder-calls.ts'
import { readMountPoints } from '../kernel/mounts.ts'
import { renderPlace } from '../open-scope.ts'
import { pathOfPlace, requireLeaf, type UsedPlace } from '../use-place.ts'
import { type FolderEntries, readFolder } from './folder-entries.ts'

const WALK_ENTRIES_MAX = 1_000_000

/** A folder met on a walk, held while its entries are visited. */
export interface MetFolder {
  readonly fd: number
  /** Where it lies on the host. Not for callers. */
  readonly path: string
  /** What its entries' names are shown after. */
  readonly prefix: string
  readonly root_path: string
  /** The disk of its root. */
  readonly dev: number
  readonly depth: number
}

/** Goes on, ends the whole walk, or leaves this folder closed. */
export type Verdict = 'go_on' | 'stop' | 'pass_by'

interface Walk {
  readonly place: UsedPlace
  readonly recursive: boolean
  readonly visit: (entry: Dirent, folder: MetFolder) => Verdict
  readonly hidden: ReadonlySet<string>
  entries: number
  capped: boolean
  unnameable: number
}

/**
 * Visits what is in the folder at a place, a folder before what is in it, and siblings in the order of their
 * bytes. Folders are entered by descriptors and never through links; what is mounted over a name is not shown.
 */
export function walkFolders(
  place: UsedPlace,
  recursive: boolean,
  visit: (entry: Dirent, folder: MetFolder) => Verdict,
): WalkEnd {
  const { stat, fd } = requireLeaf(place)
  if (!stat.isDirectory()) throw fileFault('NotADirectory', place.given)
  const path = pathOfPlace(place)
  const walk: Walk = {
    place,
    recursive,
    visit,
    hidden: findHidden(place, path),
    entries: 0,
    capped: false,
    unnameable: 0,
  }
  const shown = renderPlace(place.scope, place.root, place.names)
  const prefix = shown === '.' ? '' : `${shown}/`
  const root_path = place.root.path
  const top = { path, prefix, root_path, dev: Number(stat.dev), depth: place.names.length }
  const top_fd = holdAgain(fd)
  try {
    walkEntries(walk, { ...top, fd: top_fd }, readFolder(place.scope, top_fd))
  } finally {
    closeSync(top_fd)
  }
  return { capped: walk.capped, unnameable: walk.unnameable }
}

function walkEntries(walk: Walk, folder: MetFolder, read: FolderEntries): boolean {
  const { entries, capped, unnameable } = read
  walk.capped ||= capped
  walk.unnameable += unnameable
  return entries.every((entry) => walkEntry(walk, folder, entry))
}

/** Answers false when the walk is to end. */
function walkEntry(walk: Walk, folder: MetFolder, entry: Dirent): boolean {
  if (walk.hidden.size > 0 && walk.hidden.has(`${folder.path}/${entry.name}`)) return true
  walk.entries += 1
  if (walk.entries > WALK_ENTRIES_MAX) {
    walk.capped = true
    return false
  }
  const verdict = walk.visit(entry, folder)
  if (verdict !== 'go_on') return verdict === 'pass_by'
  return !walk.recursive || !entry.isDirectory() || enterFolder(walk, folder, entry.name)
}

function enterFolder(walk: Walk, above: MetFolder, name: string): boolean {
  if (above.depth + 1 > DEPTH_MAX) {
    walk.capped = true
    return true
  }
  const fd = tryQuietly(() => openSync(at(above.fd, name), NAME_FOLDER))
  if (fd === undefined) return true
  try {
    const read = tryQuietly(() => readFolder(walk.place.scope, fd))
    const [path, prefix] = [`${above.path}/${name}`, `${above.prefix}${name}/`]
    return (
      read === undefined || walkEntries(walk, { ...above, fd, path, prefix, depth: above.depth + 1 }, read)
    )
  } finally {
    closeSync(fd)
  }
}

/** What must not show below a folder: closed paths, and whatever is mounted there at this moment. */
function findHidden({ scope }: UsedPlace, path: string): ReadonlySet<string> {
  const all = [...readMountPoints(), ...scope.closed]
  return new Set(all.filter((place) => place.startsWith(`${path}/`)))
}
