import { dirname } from 'node:path'
import type { LocatedPath } from './locate-path.ts'
import type { SandboxMount } from './sandbox.ts'

/** The access that a command has to a path, or undefined where it is not there at all. */
export function accessTo(places: readonly SandboxMount[], path: string): SandboxMount['access'] | undefined {
  return placeOf(places, path)?.access
}

export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

/**
 * The folders between a writable place and what is protected below it. A mount over a name does not keep the
 * folders above it from being renamed, and a secret would then lie where nobody looks for it next time; a
 * folder that is a mount itself cannot be renamed or removed.
 */
export function foldersAbove(
  places: readonly SandboxMount[],
  located: readonly Pick<LocatedPath, 'at' | 'link'>[],
): string[] {
  const names = located.flatMap(({ at, link }) => (link === undefined ? [at] : [at, link]))
  const found = new Set<string>()
  for (const name of [...names, ...places.map(({ path }) => path)]) {
    for (let folder = dirname(name); folder !== '/' && !found.has(folder); folder = dirname(folder)) {
      const place = placeOf(places, folder)
      if (place === undefined || place.access !== 'write' || place.path === folder) break
      found.add(folder)
    }
  }
  return [...found]
}

function placeOf(places: readonly SandboxMount[], path: string): SandboxMount | undefined {
  const holders = places.filter((place) => isWithin(place.path, path))
  // Of two equal paths the later one, which lies on top.
  return holders.toSorted((a, b) => a.path.length - b.path.length).at(-1)
}
