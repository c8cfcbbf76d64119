import { closeSync, fstatSync, openSync, readdirSync } from 'node:fs'
import { fileFault, tryQuietly } from '../faults.ts'
import { DEPTH_MAX } from '../input-path.ts'
import { at, NAME_FOLDER } from '../kernel/descriptors.ts'
import { treeStatIn } from '../kernel/folder-calls.ts'
import { isShowable } from './folder-entries.ts'
import type { TreeStat } from './tree-stat.ts'

const ENTRIES_MAX = 1_000_000

/** One name in a folder. Of what is closed nothing but the name's kind is told. */
export interface TreeName {
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly is_closed: boolean
}

/** A folder met on a visit, held while it is visited. */
export interface TreeFolder {
  /** Relative to the service: empty, or ending with `/`. */
  readonly prefix: string
  readonly names: readonly TreeName[]
  /** Follows no link; undefined for a name that is gone. */
  look(name: string): TreeStat | undefined
}

interface Visited {
  readonly top_fd: number
  /** The disk of the service; nothing on another one is entered. */
  readonly dev: bigint
  isClosed(path: string): boolean
}

/** Visits folders from the top, each through the descriptor of the one above it. */
export function visitFolders(
  { top_fd, dev, isClosed }: Visited,
  visit: (folder: TreeFolder) => readonly string[],
): void {
  let entries = 0
  const visitOne = (fd: number, prefix: string, depth: number): void => {
    const names = readNames(fd, prefix, isClosed)
    entries += names.length
    if (entries > ENTRIES_MAX) throw fileFault('FileTooLarge', '.', `holds more than ${ENTRIES_MAX} files`)
    const look = (name: string) => treeStatIn(fd, name)
    const chosen = visit({ prefix, names, look })
    if (depth >= DEPTH_MAX) return
    for (const name of chosen) {
      const below = tryQuietly(() => openSync(at(fd, name), NAME_FOLDER))
      if (below === undefined) continue
      try {
        if (fstatSync(below, { bigint: true }).dev === dev) visitOne(below, `${prefix}${name}/`, depth + 1)
      } finally {
        closeSync(below)
      }
    }
  }
  visitOne(top_fd, '', 0)
}

/** Names that no path could hold are left out, as everywhere. */
export function readNames(fd: number, prefix: string, isClosed: Visited['isClosed']): TreeName[] {
  const found = tryQuietly(() => readdirSync(at(fd, ''), { withFileTypes: true })) ?? []
  return found
    .filter(({ name }) => isShowable(name))
    .map((entry) => {
      const kind = entry.isFile()
        ? 'file'
        : entry.isDirectory()
          ? 'folder'
          : entry.isSymbolicLink()
            ? 'link'
            : 'other'
      return { name: entry.name, kind, is_closed: isClosed(prefix + entry.name) } as const
    })
}
