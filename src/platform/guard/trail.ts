import { type BigIntStats, closeSync, fstatSync, openSync, readlinkSync } from 'node:fs'
import { errnoOf, faultCodeOf, fileFault } from './faults.ts'
import { type FileFaultCode, type FileRights, GuardDenied } from './guard.ts'
import { DEPTH_MAX, splitPath } from './input-path.ts'
import { at, closeAll, NAME_ANY, NAME_FOLDER } from './kernel/descriptors.ts'
import { findRootOf, type OpenScope } from './open-scope.ts'
import { holdRoot, type Root } from './roots.ts'

const LINKS_MAX = 40

/** Something that exists, named but not opened. */
export interface Leaf {
  readonly fd: number
  readonly stat: BigIntStats
}

/** Who owns it and who may use it. */
export function rightsOf({ stat }: Leaf): Required<Omit<FileRights, 'attributes'>> {
  return { mode: Number(stat.mode & 0o7777n), uid: Number(stat.uid), gid: Number(stat.gid) }
}

/** Where a walk along a path stands. */
export interface Trail {
  readonly scope: OpenScope
  readonly given: string
  /** The names still to go, the next one last. */
  readonly todo: string[]
  root: Root | undefined
  /** The way from `root` to here. */
  names: string[]
  /** One for each name, but for a leaf that is no folder. */
  readonly fds: number[]
  leaf: Leaf | undefined
  /** Where the path is when it is not on the disk: outside all roots, or beyond something that is not there. */
  lexical: string[] | undefined
  /** What there was no way past. From here on nothing is looked up, but names are still judged. */
  stuck: { code: FileFaultCode; missing: string[] } | undefined
  links: number
  by_link: boolean
}

/** Takes the next name of a path. */
export function takeStep(trail: Trail, name: string): void {
  if (trail.stuck && (name === '.' || name === '..')) trail.stuck.missing = []
  if (name === '.') return
  if (name === '..') stepUp(trail)
  else if (trail.lexical) stepLexically(trail, trail.lexical, name)
  else stepInto(trail, name)
}

function stepUp(trail: Trail): void {
  if (trail.lexical) return void trail.lexical.pop()
  const fd = trail.fds.pop()
  trail.names.pop()
  if (fd === undefined) leaveRoot(trail)
  else closeSync(fd)
}

/** Goes above a root; where roots lie in each other that is a place in the outer one. */
function leaveRoot(trail: Trail): void {
  const above = (trail.root as Root).segments.slice(0, -1)
  const outer = findRootOf(trail.scope, `/${above.join('/')}`)
  goOutside(trail, above)
  if (outer === undefined) return
  trail.todo.push(...above.slice(outer.segments.length).toReversed())
  enterRoot(trail, outer)
}

function goOutside(trail: Trail, segments: string[]): void {
  closeAll(trail.fds.splice(0))
  trail.names = []
  trail.root = undefined
  trail.lexical = segments
}

/** Stands in a root, or before it where it does not exist. */
export function enterRoot(trail: Trail, root: Root): void {
  goOutside(trail, [...root.segments])
  if (holdRoot(root, trail.given) === undefined) {
    trail.stuck = { code: 'FileNotFound', missing: [] }
    return
  }
  trail.root = root
  trail.lexical = undefined
}

function stepLexically(trail: Trail, lexical: string[], name: string): void {
  lexical.push(name)
  const path = `/${lexical.join('/')}`
  if (!trail.stuck) {
    const root = trail.scope.roots_by_path.get(path)
    return root && enterRoot(trail, root)
  }
  if (trail.stuck.missing.length > 0) trail.stuck.missing.push(name)
  const root = findRootOf(trail.scope, path)
  if (root === undefined || root.path === path) return
  checkOpenName(trail, name, path)
  if (lexical.length - root.segments.length > DEPTH_MAX) throw fileFault('PathTooLong', trail.given)
}

function stepInto(trail: Trail, name: string): void {
  checkOpenName(trail, name)
  const place = at(currentFolder(trail), name)
  const folder_fd = trail.todo.length > 0 ? tryOpen(place, NAME_FOLDER) : 'ENOTDIR'
  if (typeof folder_fd === 'number') return descend(trail, name, folder_fd)
  const fd = folder_fd === 'ENOTDIR' ? tryOpen(place, NAME_ANY) : folder_fd
  if (typeof fd === 'string') return stick(trail, faultCodeOf(fd), name)
  const stat = fstatSync(fd, { bigint: true })
  if (stat.isDirectory()) return descend(trail, name, fd)
  if (!stat.isSymbolicLink() && trail.todo.length === 0) return arrive(trail, name, { fd, stat })
  closeSync(fd)
  if (stat.isSymbolicLink()) followLink(trail, place)
  else stick(trail, 'NotADirectory', name)
}

function tryOpen(place: string, flags: number): number | string {
  try {
    return openSync(place, flags)
  } catch (error) {
    const errno = errnoOf(error)
    if (errno === undefined) throw error
    return errno
  }
}

function descend(trail: Trail, name: string, fd: number): void {
  trail.fds.push(fd)
  trail.names.push(name)
  if (trail.fds.length > DEPTH_MAX) throw fileFault('PathTooLong', trail.given)
  const inner = trail.scope.has_inner && trail.scope.roots_by_path.get(currentPath(trail))
  if (inner) enterRoot(trail, inner)
}

function arrive(trail: Trail, name: string, leaf: Leaf): void {
  trail.names.push(name)
  trail.leaf = leaf
}

function stick(trail: Trail, code: FileFaultCode, name: string): void {
  trail.stuck = { code, missing: code === 'FileNotFound' ? [name] : [] }
  trail.lexical = [...(trail.root as Root).segments, ...trail.names, name]
}

function followLink(trail: Trail, place: string): void {
  trail.links += 1
  if (trail.links > LINKS_MAX) throw new GuardDenied('link_loop', trail.given)
  trail.by_link ||= trail.todo.length === 0
  const { absolute, names } = splitPath(readLink(trail, place))
  trail.todo.push(...names.toReversed())
  if (absolute) goOutside(trail, [])
}

function readLink(trail: Trail, place: string): string {
  try {
    return readlinkSync(place)
  } catch {
    throw new GuardDenied('changed', trail.given)
  }
}

/** Names are judged where the walk really is, so no link and no detour gives a closed thing another name. */
function checkOpenName(trail: Trail, name: string, path?: string): void {
  const { scope, given } = trail
  if (scope.names.isClosed(name)) throw new GuardDenied('blocked', given)
  if (scope.has_inner && scope.closed.has(path ?? `${currentPath(trail)}/${name}`))
    throw new GuardDenied('blocked', given)
}

/** The folder that the walk stands in, or the last one it could enter. */
export function currentFolder({ fds, root }: Trail): number {
  return fds.at(-1) ?? root?.held?.fd ?? -1
}

function currentPath({ root, names }: Trail): string {
  return [root?.path, ...names].join('/')
}

/** All that the walk holds. */
export function fdsOf({ fds, leaf }: Trail): number[] {
  return leaf ? [...fds, leaf.fd] : fds
}
