import { fstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { type LocatedPath, locatePath, requireRealPath } from './locate-path.ts'
import { holdPlaceholder, keepLink, type Placeholder, releasePlaceholders } from './mount-point.ts'
import { accessTo, foldersAbove, isWithin } from './places.ts'
import { type SandboxMount, type SandboxProfile, SandboxUnavailable } from './sandbox.ts'
import { PROFILE_PATHS_MAX } from './sandbox-limits.ts'
import type { GivenDescriptors } from './start/given-descriptors.ts'

/** A profile as arguments for bwrap. `release` undoes what had to be put on the host for the run. */
export interface PreparedProfile {
  readonly args: readonly string[]
  readonly cwd: string
  /** What has to be mounted when the sandbox stands: the last word on each place. */
  readonly mounts: readonly SandboxMount[]
  readonly release: () => void
}

interface Draft {
  readonly args: string[]
  readonly links: (() => void)[]
  readonly placeholders: Placeholder[]
  /** Canonical folders and files with the access that a command has to them. */
  readonly places: SandboxMount[]
  readonly mounts: SandboxMount[]
  readonly given: GivenDescriptors
}

/** Turns a profile into mounts. What of the host is mounted is held by the given descriptors, and mounted by them. */
export function prepareProfile(profile: SandboxProfile, given: GivenDescriptors): PreparedProfile {
  const draft: Draft = { args: [], links: [], placeholders: [], places: [], mounts: [], given }
  const release = (): void => releaseAll(draft)
  try {
    checkSize(profile)
    const cwd = requireRealPath(profile.cwd, 'working folder')
    const read_only = profile.read_only.map((path) => locatePath(path)).toSorted(byDepth)
    const masked = profile.masked.map((path) => locatePath(path)).toSorted(byDepth)
    addMounts(draft, profile, [...read_only, ...masked])
    requireDirect(draft, [...read_only, ...masked])
    for (const path of read_only) addReadOnly(draft, path)
    addMasks(draft, masked)
    for (const overlay of profile.overlays) addOverlay(draft, overlay)
    return { args: draft.args, cwd, mounts: draft.mounts, release }
  } catch (error) {
    release()
    throw asUnavailable(error)
  }
}

function checkSize(profile: SandboxProfile): void {
  const lists = [profile.mounts, profile.masked, profile.overlays, profile.read_only]
  checkCount(lists.reduce((sum, list) => sum + list.length, 0))
}

function checkCount(paths: number): void {
  if (paths <= PROFILE_PATHS_MAX) return
  throw new SandboxUnavailable(`A sandbox may name at most ${PROFILE_PATHS_MAX} paths.`)
}

function addMounts(draft: Draft, profile: SandboxProfile, located: readonly LocatedPath[]): void {
  const mounts = profile.mounts.map((mount) => ({ ...mount, real: realPathOf(mount) }))
  draft.places.push(...mounts.map(({ real, access }) => ({ path: real, access })).toSorted(byLength))
  const contents = contentsOf(mounts)
  const isStandIn = (path: string) => [...contents.keys()].some((folder) => isWithin(folder, path))
  // What is below a folder that stands in for another is the hub's own, and not to be had from the host.
  const pinned = foldersAbove(draft.places, located).filter((path) => !isStandIn(path))
  checkCount(mounts.length + located.length + pinned.length)
  // Shorter ones first: a folder that is mounted after what is in it would hide that.
  const all = [...draft.places, ...pinned.map((path) => ({ path, access: 'write' as const }))]
  const folders = new Map(mounts.map(({ real, folder }) => [real, folder]))
  for (const { path, access } of all.toSorted(byLength)) {
    const content = contents.get(path)
    const fd = addBind(draft, content ?? path, path, access)
    if (content === undefined) requireFolder(path, fd, folders.get(path))
  }
  for (const { path, real } of mounts) {
    const plain = path.replace(/\/+$/, '')
    if (plain !== real && accessTo(draft.places, dirname(plain)) === undefined)
      draft.args.push('--symlink', real, plain)
  }
}

function realPathOf({ path, is_real, real_path = is_real ? path : undefined }: SandboxMount): string {
  const real = requireRealPath(path, 'folder')
  if (real_path !== undefined && real !== real_path)
    throw new SandboxUnavailable(`A link was put on the way to ${path}.`)
  return real
}

/** Mounts what lies at a path now, whatever is put there until bwrap comes to it; answers our descriptor of it. */
function addBind(draft: Draft, from: string, path: string, access: SandboxMount['access']): number {
  const number = draft.given.addReal(from)
  draft.args.push(access === 'write' ? '--bind-fd' : '--ro-bind-fd', String(number), path)
  draft.mounts.push({ path, access })
  return draft.given.heldAs(number)
}

function requireFolder(path: string, fd: number, folder: SandboxMount['folder']): void {
  if (folder === undefined) return
  const { dev, ino } = fstatSync(fd, { bigint: true })
  if (dev !== folder.dev || ino !== folder.ino)
    throw new SandboxUnavailable(`Another folder lies at ${path} than the one that is held.`)
}

function contentsOf(mounts: readonly (SandboxMount & { real: string })[]): Map<string, string> {
  const contents = new Map<string, string>()
  for (const { real, content_path } of mounts)
    if (content_path !== undefined) contents.set(real, requireRealPath(content_path, 'folder'))
  return contents
}

/** What is to be covered was found by its real path: a link on the way to it was put there since. */
function requireDirect({ places }: Draft, located: readonly LocatedPath[]): void {
  for (const { around } of located) {
    if (around !== undefined && accessTo(places, around) === 'write')
      throw new SandboxUnavailable(`${around} was moved while the sandbox was prepared.`)
  }
}

function addReadOnly(draft: Draft, path: LocatedPath): void {
  if (accessTo(draft.places, path.link ?? path.at) !== 'write') return
  if (path.link !== undefined) draft.links.push(keepLink(path.link))
  if (path.kind === 'missing_file' || path.kind === 'missing_folder') return coverMissing(draft, path)
  if (accessTo(draft.places, path.at) !== 'write' || path.kind === 'nowhere') return
  draft.places.push({ path: path.at, access: 'read' })
  addBind(draft, path.at, path.at, 'read')
}

function addMasks(draft: Draft, paths: readonly LocatedPath[]): void {
  const covered: string[] = []
  for (const path of paths) {
    if (covered.some((folder) => isWithin(folder, path.at))) continue
    if (path.link !== undefined && accessTo(draft.places, path.link) === 'write') {
      draft.links.push(keepLink(path.link))
    }
    const access = accessTo(draft.places, path.at)
    if (access === undefined || path.kind === 'nowhere') continue
    // Where nothing can be written, nothing can be created either.
    const is_missing = path.kind === 'missing_file' || path.kind === 'missing_folder'
    if (is_missing && access === 'write') coverMissing(draft, path)
    else if (!is_missing) cover(draft, path.at, path.kind === 'folder')
    covered.push(path.at)
  }
}

function coverMissing(draft: Draft, path: LocatedPath): void {
  const is_folder = path.kind === 'missing_folder'
  const placeholder = tryHold(path.at, is_folder ? 'folder' : 'file')
  if (placeholder === undefined) return
  draft.placeholders.push(placeholder)
  cover(draft, path.at, is_folder)
}

// Where this process may not create a thing, a command with fewer rights may not either.
function tryHold(path: string, kind: 'file' | 'folder'): Placeholder | undefined {
  try {
    return holdPlaceholder(path, kind)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EROFS') return undefined
    throw error
  }
}

function cover(draft: Draft, path: string, is_folder: boolean): void {
  draft.mounts.push({ path, access: 'read' })
  if (is_folder) draft.args.push('--perms', '0555', '--tmpfs', path, '--remount-ro', path)
  else draft.args.push('--perms', '0444', '--ro-bind-data', String(draft.given.addContent('')), path)
}

function addOverlay(draft: Draft, overlay: { content_path: string; at: string }): void {
  const content = requireRealPath(overlay.content_path, 'file')
  const path = locatePath(overlay.at)
  const access = accessTo(draft.places, path.at)
  if (path.link !== undefined || access === undefined || path.kind === 'folder') {
    throw new SandboxUnavailable(
      `Nothing can be put over ${overlay.at}: it is a link, a folder, or not mounted.`,
    )
  }
  if (path.kind !== 'file') {
    if (access === 'read' || path.kind !== 'missing_file') {
      throw new SandboxUnavailable(`Nothing can be put at ${overlay.at}: it does not exist.`)
    }
    draft.placeholders.push(holdPlaceholder(path.at, 'file'))
  }
  addBind(draft, content, path.at, 'read')
}

function byDepth(a: LocatedPath, b: LocatedPath): number {
  return a.at.length - b.at.length
}

function byLength(a: SandboxMount, b: SandboxMount): number {
  return a.path.length - b.path.length
}

function releaseAll({ links, placeholders, given }: Draft): void {
  given.close()
  releasePlaceholders(placeholders.splice(0))
  let fault: unknown
  for (const putBack of links.splice(0)) {
    try {
      putBack()
    } catch (error) {
      fault ??= error
    }
  }
  if (fault !== undefined) throw asUnavailable(fault)
}

function asUnavailable(error: unknown): SandboxUnavailable {
  if (error instanceof SandboxUnavailable) return error
  return new SandboxUnavailable(`The sandbox could not be prepared: ${(error as Error).message}`)
}
