import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// A file tree in memory and, in the plainest words, what the guard has to say about a path in it. It knows
// nothing of descriptors: it works on absolute places only.

/** What a link leads to. */
export type Link = readonly [target: string]
/** A text is a file's content. */
export type Thing = string | Link | Folder
/** Things by their names. */
export interface Folder {
  [name: string]: Thing
}

/** All that lies below one absolute folder, with a service and perhaps a shared folder in it. */
export interface World {
  readonly base: string
  readonly tree: Folder
}

/** Where a path leads, or why it may not be followed. */
export type Answer =
  | { denied: 'outside' | 'blocked' | 'link_loop' }
  | { place: string[]; fault?: 'FileNotFound' | 'NotADirectory'; can_make: boolean; by_link: boolean }

/** Where the service lies, counted from the base. */
export const SERVICE = ['services', 'svc']
/** Where the shared folder lies, if there is one. */
export const SHARED = ['shared']
const BLOCKED = /^(\.env(\..*)?|\.git|secrets|node_modules|\.flow|\.lock\..*)$/i

/** Where a path leads from the service. Places count from `base`; one above it is no place at all. */
export function resolveInModel(world: World, path: string): Answer {
  const base = namesOf(world.base)
  const todo = namesOf(path)
  let here = path.startsWith('/') ? [] : [...base, ...SERVICE]
  if (!path.startsWith('/') && todo[0] === 'shared' && find(world, [...SERVICE, 'shared']) === undefined)
    here = [...base, todo.shift() as string]
  let fault: 'FileNotFound' | 'NotADirectory' | undefined
  let can_make = false
  let by_link = false
  if (isShared(here, base) && find(world, SHARED) === undefined) fault = 'FileNotFound'
  for (let links = 0; todo.length > 0; ) {
    const name = todo.shift() as string
    if (name === '.' || name === '..') can_make = false
    if (name === '.') continue
    here = name === '..' ? here.slice(0, -1) : [...here, name]
    if (name === '..') continue
    const place = placeOf(here, base)
    if (place === undefined) continue
    const is_root = isSame(place, SERVICE) || isSame(place, SHARED)
    if (!is_root && BLOCKED.test(name)) return { denied: 'blocked' }
    if (fault) continue
    const thing = find(world, place)
    if (thing === undefined) {
      fault = 'FileNotFound'
      can_make = !is_root
    } else if (isLink(thing)) {
      links += 1
      if (links > 40) return { denied: 'link_loop' }
      by_link ||= todo.length === 0
      here = thing[0].startsWith('/') ? [] : here.slice(0, -1)
      todo.unshift(...namesOf(thing[0]))
    } else if (typeof thing === 'string' && todo.length > 0) fault = 'NotADirectory'
  }
  const place = placeOf(here, base)
  if (place === undefined) return { denied: 'outside' }
  return { place, can_make, by_link, ...(fault && { fault }) }
}

/** What is at a place, no link followed. */
export function find({ tree }: World, place: readonly string[]): Thing | undefined {
  let thing: Thing | undefined = tree
  for (const name of place) thing = isFolder(thing) ? thing[name] : undefined
  return thing
}

/** Whether a thing holds others. */
export function isFolder(thing: Thing | undefined): thing is Folder {
  return typeof thing === 'object' && !Array.isArray(thing)
}

/** Whether a thing leads elsewhere. */
export function isLink(thing: Thing | undefined): thing is Link {
  return Array.isArray(thing)
}

/** Whether a place may be written. */
export function isInService(place: readonly string[]): boolean {
  return isSame(place.slice(0, SERVICE.length), SERVICE)
}

/** How a place is shown to callers. */
export function renderInModel(world: World, place: readonly string[]): string {
  if (isInService(place)) return place.slice(SERVICE.length).join('/') || '.'
  const own = find(world, [...SERVICE, 'shared']) !== undefined
  return [...(own ? ['..', '..'] : []), ...place].join('/')
}

/** Every open name below a folder: parents first, siblings by their bytes. */
export function listInModel(folder: Folder, prefix: string): string[] {
  const names = Object.keys(folder).filter((name) => !BLOCKED.test(name))
  return names
    .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .flatMap((name) => {
      const thing = folder[name]
      return [prefix + name, ...(isFolder(thing) ? listInModel(thing, `${prefix}${name}/`) : [])]
    })
}

/** Puts a tree on the disk. */
export function buildTree(folder: string, tree: Folder): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, thing] of Object.entries(tree)) {
    if (typeof thing === 'string') writeFileSync(join(folder, name), thing)
    else if (isLink(thing)) symlinkSync(thing[0], join(folder, name))
    else buildTree(join(folder, name), thing)
  }
}

/** A place below `base` if it is in a root, counted from `base`. */
function placeOf(here: readonly string[], base: readonly string[]): string[] | undefined {
  const place = here.slice(base.length)
  if (!isSame(here.slice(0, base.length), base)) return undefined
  return isInService(place) || isSame(place.slice(0, SHARED.length), SHARED) ? place : undefined
}

function isShared(here: readonly string[], base: readonly string[]): boolean {
  return isSame(here, [...base, ...SHARED])
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index])
}

function namesOf(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  return names.length > 0 && /\/\.?$/.test(path) ? [...names, '.'] : names
}
