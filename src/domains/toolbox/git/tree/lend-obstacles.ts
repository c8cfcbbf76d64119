import type { TreeEntry } from '../../../../platform/guard/tree/service-tree.ts'
import { isFolder } from '../../../../platform/guard/tree/tree-stat.ts'
import type { Repository } from '../repository/repository.ts'
import type { GitCall } from '../run/git-run.ts'
import type { Index } from './index-entries.ts'
import type { LentTree } from './lent-tree.ts'
import { lendRules } from './tree-rules.ts'
import { isSameEntry, isUntouched, MAX_FILE_BYTES } from './work-tree.ts'

/** Of all files together that a switch has to look at or replace. */
const MAX_BYTES = 256 * 1024 * 1024

/**
 * Copies what a switch would overwrite into the lent tree, so that git refuses it there as it would in the service.
 * What is as git's index says is not copied: git takes a missing file for one that may be written. Answers what was
 * copied, to be put back where the switch fails.
 */
export function lendObstacles(
  call: GitCall,
  repository: Repository,
  lent: LentTree,
  paths: readonly string[],
  index: Index,
): Map<string, TreeEntry> {
  const known = new Map(index.entries.map((entry) => [entry.path, entry]))
  const copied = new Map<string, TreeEntry>()
  let room = MAX_BYTES
  call.guard.inTree((tree) => {
    for (const path of paths) {
      const stat = tree.look(path)
      const tracked = known.get(path)
      if (stat === undefined || isFolder(stat)) continue
      if (tracked && isUntouched(repository, index, tracked, stat)) continue
      const entry = tree.read(path, Math.min(room, MAX_FILE_BYTES))
      if (entry === undefined || (tracked && isSameEntry(entry, tracked))) continue
      room -= entry.kind === 'file' ? entry.bytes.length : 0
      copied.set(path, entry)
    }
    lendRules(repository, tree, lent, [...copied.keys()])
  })
  for (const [path, entry] of copied) lent.put(repository.prefix + path, entry)
  return copied
}
