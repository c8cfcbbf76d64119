import { DEPTH_MAX } from '../../../../platform/guard/input-path.ts'
import type { ServiceTree } from '../../../../platform/guard/tree/service-tree.ts'
import type { TreeStat } from '../../../../platform/guard/tree/tree-stat.ts'
import type { TreeFolder } from '../../../../platform/guard/tree/visit-folders.ts'
import { type IgnoreRules, isIgnored } from '../../../../platform/knowledge/walk/index-ignore.ts'
import type { Repository } from '../repository/repository.ts'
import type { GitCall } from '../run/git-run.ts'
import { outerRules, rulesInFolder } from './untracked.ts'

/** Beyond so many names folders are read when they are needed. */
const NAMES_MAX = 200_000

/** Folders of a service with all that is known of their files, by prefix. */
export type TreeSnapshot = ReadonlyMap<string, TreeFolder>

/**
 * Reads the folders that git would look into, before it is known what git tracks: it lists its index meanwhile, in a
 * process of its own. Folders that are closed or ignored are read later, where something is tracked in them.
 */
export function takeSnapshot(call: GitCall, repository: Repository): TreeSnapshot {
  const folders = new Map<string, TreeFolder>()
  const rules = new Map<string, IgnoreRules | undefined>([['', outerRules(repository)]])
  let room = NAMES_MAX
  call.guard.inTree((tree) =>
    tree.visit((folder) => {
      const { prefix, names } = folder
      const here = rulesInFolder(repository, tree, folder, rules.get(prefix))
      room -= names.length
      if (room < 0) return []
      folders.set(prefix, withStats(folder))
      const open = names.filter(
        ({ name, kind, is_closed }) =>
          kind === 'folder' && !is_closed && !isIgnored(here, repository.prefix + prefix + name, true),
      )
      for (const { name } of open) rules.set(`${prefix}${name}/`, here)
      return open.map(({ name }) => name)
    }),
  )
  return folders
}

function withStats({ prefix, names, look }: TreeFolder): TreeFolder {
  const stats = new Map<string, TreeStat>()
  for (const { name, kind } of names) {
    const stat = kind === 'folder' ? undefined : look(name)
    if (stat) stats.set(name, stat)
  }
  return { prefix, names, look: (name) => stats.get(name) }
}

/** Visits folders as they were when the snapshot was taken, and the others as they are. */
export function visitSnapshot(
  snapshot: TreeSnapshot,
  tree: ServiceTree,
  visit: (folder: TreeFolder) => readonly string[],
): void {
  const visitOne = (prefix: string, depth: number): void => {
    const folder = snapshot.get(prefix) ?? tree.folder(prefix)
    if (folder === undefined || depth > DEPTH_MAX) return
    for (const name of visit(folder)) visitOne(`${prefix}${name}/`, depth + 1)
  }
  visitOne('', 0)
}
