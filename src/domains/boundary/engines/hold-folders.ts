import { realpathSync, statSync } from 'node:fs'
import { isWithin } from '../../../platform/sandbox/places.ts'
import { type HeldTree, holdTree } from '../../../platform/trees/hold-tree.ts'
import { isInProject } from '../../../platform/trees/owner-place.ts'

/**
 * Holds those of an engine's folders that lie in a project, so that no command of an agent runs in them while the
 * engine sees them. `act` is told which they are.
 */
export async function withProjectFolders<Result>(
  paths: readonly string[],
  signal: AbortSignal,
  act: (trees: readonly HeldTree[]) => Promise<Result>,
): Promise<Result> {
  const trees: HeldTree[] = []
  try {
    for (const folder of projectFolders(paths)) trees.push(await holdTree(folder, { signal }))
    return await act(trees)
  } finally {
    for (const tree of trees) tree.release()
  }
}

function projectFolders(paths: readonly string[]): string[] {
  const folders = paths.filter(isFolder).map((path) => realpathSync(path))
  return outermost(folders.filter(isInProject))
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** In one order for everybody, and without what lies in another: a folder cannot be held twice. */
function outermost(folders: readonly string[]): string[] {
  const distinct = [...new Set(folders)].toSorted()
  return distinct.filter((folder) => distinct.every((other) => other === folder || !isWithin(other, folder)))
}
