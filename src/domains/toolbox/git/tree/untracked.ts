import { join } from 'node:path'
import type { ServiceTree } from '../../../../platform/guard/tree/service-tree.ts'
import type { TreeFolder, TreeName } from '../../../../platform/guard/tree/visit-folders.ts'
import {
  type IgnoreRules,
  isIgnored,
  readIgnoreRules,
} from '../../../../platform/knowledge/walk/index-ignore.ts'
import type { Repository } from '../repository/repository.ts'
import { isHeldPlace } from './held-place.ts'
import { MAX_RULE_BYTES, outerFolders, readOuterRules, tryReadFile } from './tree-rules.ts'

const IGNORE_FILE = '.gitignore'

/** What git tracks in the service. */
interface Tracked {
  readonly files: ReadonlySet<string>
  /** Every folder with a tracked file somewhere below it. */
  readonly folders: ReadonlySet<string>
}

/** What git does not track, collected while the folders of a service are visited. */
export interface UntrackedSearch {
  readonly repository: Repository
  readonly tracked: Tracked
  /** By the prefix of the folder that they hold in. */
  readonly rules: Map<string, IgnoreRules | undefined>
  readonly outer: IgnoreRules | undefined
  /** A folder without any tracked file ends with a slash and stands for all in it. */
  readonly found: string[]
  /** Closed paths that are not tracked are put here. */
  readonly hidden: Set<string>
  /** The untracked folder that is looked through for something that git would show. */
  inside: string | undefined
}

export function startUntracked(
  repository: Repository,
  tracked: Tracked,
  hidden: Set<string>,
): UntrackedSearch {
  const outer = outerRules(repository)
  return { repository, tracked, rules: new Map(), outer, found: [], hidden, inside: undefined }
}

/**
 * Takes in what is in a folder, given what is left of its names without the files that are known to be tracked. Answers
 * the folders in it that have to be visited.
 */
export function visitUntracked(
  search: UntrackedSearch,
  tree: ServiceTree,
  folder: TreeFolder,
  left: readonly TreeName[],
): string[] {
  const { prefix } = folder
  const is_tracked = prefix === '' || search.tracked.folders.has(prefix.slice(0, -1))
  if (is_tracked) {
    search.inside = undefined
    const rules = rulesIn(search, tree, folder)
    const there = left.filter((name) => !isMadeUp(folder, name))
    return there.filter((name) => takeName(search, rules, prefix, name)).map(({ name }) => name)
  }
  if (search.inside === undefined || !prefix.startsWith(search.inside)) search.inside = prefix
  return lookInside(search, tree, folder, search.inside)
}

/** Whether a name stands there only as long as a command runs, for the sandbox to cover it. */
function isMadeUp({ look }: TreeFolder, { name, kind, is_closed }: TreeName): boolean {
  const stat = kind === 'file' || is_closed ? look(name) : undefined
  return stat !== undefined && isHeldPlace(stat)
}

/** Answers whether it is a folder that may hold something to be shown. */
function takeName(
  search: UntrackedSearch,
  rules: IgnoreRules | undefined,
  prefix: string,
  { name, kind, is_closed }: TreeName,
): boolean {
  const { tracked, repository } = search
  const path = prefix + name
  if (name === '.git' || kind === 'other' || tracked.files.has(path)) return false
  if (kind === 'folder' && tracked.folders.has(path)) return false
  if (isIgnored(rules, repository.prefix + path, kind === 'folder')) return false
  if (is_closed) search.hidden.add(path)
  else if (kind === 'folder') return true
  else search.found.push(path)
  return false
}

/** git shows an untracked folder once anything is in it that is not ignored, and a repository in any case. */
function lookInside(search: UntrackedSearch, tree: ServiceTree, folder: TreeFolder, top: string): string[] {
  if (search.found.at(-1) === top) return []
  const { prefix, names } = folder
  const rules = rulesIn(search, tree, folder)
  const isLeft = ({ name, kind }: TreeName) =>
    kind !== 'other' && !isIgnored(rules, search.repository.prefix + prefix + name, kind === 'folder')
  const left = names.filter((name) => (name.name === '.git' || isLeft(name)) && !isMadeUp(folder, name))
  const has_any = left.some(({ name, kind, is_closed }) => name === '.git' || is_closed || kind !== 'folder')
  if (has_any) search.found.push(top)
  return has_any ? [] : left.map(({ name }) => name)
}

function rulesIn(search: UntrackedSearch, tree: ServiceTree, folder: TreeFolder): IgnoreRules | undefined {
  const { prefix } = folder
  const parent = prefix.slice(0, prefix.lastIndexOf('/', prefix.length - 2) + 1)
  const above = prefix === '' ? search.outer : search.rules.get(parent)
  const is_left_out = prefix !== '' && isIgnored(above, search.repository.prefix + prefix.slice(0, -1), true)
  const rules = is_left_out ? nothingElse() : rulesInFolder(search.repository, tree, folder, above)
  search.rules.set(prefix, rules)
  return rules
}

/** The rules for what is in a folder: those from above with its own, where it has some. */
function rulesInFolder(
  repository: Repository,
  tree: ServiceTree,
  { prefix, names }: TreeFolder,
  above: IgnoreRules | undefined,
): IgnoreRules | undefined {
  const has_own = names.some(({ name, kind }) => name === IGNORE_FILE && kind === 'file')
  const own = has_own ? tryReadFile(tree, prefix + IGNORE_FILE, MAX_RULE_BYTES) : undefined
  return own === undefined ? above : readIgnoreRules(repository.prefix + prefix, own.toString('utf8'), above)
}

/** The rules that come from above the service, the repository's own list first. */
function outerRules(repository: Repository): IgnoreRules | undefined {
  const exclude = readOuterRules(repository, join('.git', 'info'), 'exclude')
  let rules = exclude && readIgnoreRules('', exclude.toString('utf8'), undefined)
  let is_left_out = false
  for (const folder of outerFolders(repository)) {
    is_left_out ||= folder !== '' && isIgnored(rules, folder, true)
    const own = readOuterRules(repository, folder, IGNORE_FILE)
    if (own) rules = readIgnoreRules(folder === '' ? '' : `${folder}/`, own.toString('utf8'), rules)
  }
  const service = repository.prefix.slice(0, -1)
  is_left_out ||= service !== '' && isIgnored(rules, service, true)
  return is_left_out ? nothingElse() : rules
}

/** Below a folder that is left out nothing can be taken in again; what is tracked there stays so. */
function nothingElse(): IgnoreRules | undefined {
  return readIgnoreRules('', '*\n', undefined)
}
