import type { ServiceTree, TreeEntry } from '../../../../platform/guard/tree/service-tree.ts'
import type { TreeStat } from '../../../../platform/guard/tree/tree-stat.ts'
import { isPlaceholder } from '../../../../platform/sandbox/mount-point.ts'

/** Whether it is nothing of the project's, but holds the place of what a command that runs must not make. */
export function isHeldPlace({ mode, size, mtime_s, mtime_ns }: TreeStat): boolean {
  return isPlaceholder({ mode, size, mtimeMs: mtime_s * 1000 + mtime_ns / 1_000_000 })
}

/** What the project has at a path; undefined where there is nothing. */
export function readOwn(tree: ServiceTree, path: string, max_bytes: number): TreeEntry | undefined {
  const stat = tree.look(path)
  return stat === undefined || isHeldPlace(stat) ? undefined : tree.read(path, max_bytes)
}
