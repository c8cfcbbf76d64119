import { join } from 'node:path'
import { tryQuietly } from '../../../../platform/guard/faults.ts'
import { FileFault, GuardDenied } from '../../../../platform/guard/guard.ts'
import type { ServiceTree } from '../../../../platform/guard/tree/service-tree.ts'
import { readPlainly } from '../repository/read-plainly.ts'
import type { Repository } from '../repository/repository.ts'
import { foldersOf, type LentTree } from './lent-tree.ts'

export const MAX_RULE_BYTES = 1024 * 1024

/** The files of a tree that say how git treats others. */
const RULE_FILES = ['.gitattributes', '.gitignore'] as const

/** A rule file above the service, which no agent at this seat can write. Links are not followed, as git does not. */
export function readOuterRules(repository: Repository, folder: string, name: string): Buffer | undefined {
  return tryQuietly(() => readPlainly(join(repository.work_tree, folder, name), MAX_RULE_BYTES))
}

/** The folders above the service in the work tree, from the top down. */
export function outerFolders({ prefix }: Repository): string[] {
  return prefix === '' ? [] : ['', ...foldersOf(prefix.slice(0, -1))]
}

/** Copies the rule files on the way to some paths of the service into a lent tree. */
export function lendRules(
  repository: Repository,
  tree: ServiceTree,
  lent: LentTree,
  paths: readonly string[],
): void {
  const put = (path: string, bytes: Buffer | undefined): void => {
    if (bytes) lent.put(path, { kind: 'file', bytes, is_executable: false })
  }
  for (const folder of outerFolders(repository)) {
    for (const name of RULE_FILES) put(joinPath(folder, name), readOuterRules(repository, folder, name))
  }
  const given = new Set(paths)
  for (const folder of new Set(['', ...paths.flatMap(foldersOf)])) {
    for (const name of RULE_FILES) {
      const path = joinPath(folder, name)
      const found = given.has(path) ? undefined : tryReadFile(tree, path, MAX_RULE_BYTES)
      put(repository.prefix + path, found)
    }
  }
}

/** The bytes of a file of the service; undefined where there is none, or none that the guard lets be read. */
export function tryReadFile(tree: ServiceTree, path: string, max_bytes: number): Buffer | undefined {
  try {
    const entry = tree.read(path, max_bytes)
    return entry?.kind === 'file' ? entry.bytes : undefined
  } catch (error) {
    if (error instanceof FileFault || error instanceof GuardDenied) return undefined
    throw error
  }
}

function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}
