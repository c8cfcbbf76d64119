import { createHash } from 'node:crypto'
import { FileFault, GuardDenied } from '../../../../platform/guard/guard.ts'
import { isShowable } from '../../../../platform/guard/tree/folder-entries.ts'
import type { ServiceTree, TreeEntry } from '../../../../platform/guard/tree/service-tree.ts'
import { isFile, isLink, type TreeStat } from '../../../../platform/guard/tree/tree-stat.ts'
import type { TreeFolder, TreeName } from '../../../../platform/guard/tree/visit-folders.ts'
import { closedPaths } from '../closed-paths.ts'
import type { Repository } from '../repository/repository.ts'
import { requireSuccess } from '../run/git-outcome.ts'
import { type GitCall, runGit } from '../run/git-run.ts'
import { isHeldPlace } from './held-place.ts'
import { type Index, type IndexEntry, type IndexTime, LINK, SUBMODULE } from './index-entries.ts'
import { foldersOf, withLentTree } from './lent-tree.ts'
import { lendRules, outerFolders, readOuterRules } from './tree-rules.ts'
import { startUntracked, type UntrackedSearch, visitUntracked } from './untracked.ts'

/** A larger file is taken for changed where its times say so; it is not read to find out. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024
/** Of all files together that git itself has to compare, because it converts them. */
const MAX_CONVERTED_BYTES = 64 * 1024 * 1024
const OWNER_EXECUTES = 0o100

/** How the files of a service differ from git's index. Paths are relative to the service. */
export interface WorkTree {
  /** As git's short status has it: modified, of another type, deleted, or intended to be added. */
  readonly changed: ReadonlyMap<string, 'M' | 'T' | 'D' | 'A'>
  /** A folder without any tracked file ends with a slash and stands for all in it. */
  readonly untracked: readonly string[]
  /** Paths in closed zones that differ, or are not tracked, and names that no path could hold. They are counted and never shown. */
  readonly hidden: ReadonlySet<string>
}

interface Doubt {
  readonly entry: IndexEntry
  readonly stat: TreeStat
}

interface Survey {
  readonly written: IndexTime
  readonly repository: Repository
  readonly changed: Map<string, 'M' | 'T' | 'D' | 'A'>
  /** What is tracked and was not met yet. */
  readonly missing: Map<string, IndexEntry>
  /** Its content has to be compared: the times say that it may have changed. */
  readonly doubts: Doubt[]
  /** Every folder with a tracked file somewhere below it. */
  readonly folders: ReadonlySet<string>
  readonly untracked: UntrackedSearch | undefined
  readonly hidden: Set<string>
  readonly isClosed: (path: string) => boolean
  has_attributes: boolean
}

/**
 * Compares the service with git's index. The guard alone looks at the files: git is asked only about copies of those
 * whose content it converts.
 */
export async function compareWorkTree(
  call: GitCall,
  repository: Repository,
  index: Index,
  /** Whether what is not tracked is looked for too. */
  { untracked = false } = {},
): Promise<WorkTree> {
  const survey = startSurvey(call, repository, index, untracked)
  const converted = call.guard.inTree((tree) => {
    tree.visit((folder) => visitFolder(survey, tree, folder))
    for (const path of survey.missing.keys()) noteMissing(survey, path)
    return settleDoubts(survey, tree)
  })
  for (const path of await findConverted(call, repository, converted)) survey.changed.set(path, 'M')
  return { changed: survey.changed, untracked: survey.untracked?.found ?? [], hidden: survey.hidden }
}

function startSurvey(
  { policy }: GitCall,
  repository: Repository,
  { entries, written }: Index,
  untracked: boolean,
): Survey {
  const tracked = new Set<string>()
  const missing = new Map<string, IndexEntry>()
  for (const entry of entries) {
    const { path, stage, mode, is_skipped } = entry
    tracked.add(path)
    if (stage === 0 && !is_skipped && mode !== SUBMODULE) missing.set(path, entry)
  }
  const hidden = new Set<string>()
  const folders = new Set([...placesOf(entries)].flatMap(foldersOf))
  return {
    written,
    repository,
    changed: new Map(),
    missing,
    doubts: [],
    folders,
    untracked: untracked ? startUntracked(repository, { files: tracked, folders }, hidden) : undefined,
    has_attributes:
      hasConversion(repository) ||
      outerFolders(repository).some((folder) => readOuterRules(repository, folder, '.gitattributes')),
    hidden,
    isClosed: closedPaths(policy),
  }
}

/** The folders that entries lie in. Those of one folder follow each other. */
function placesOf(entries: readonly IndexEntry[]): Set<string> {
  const places = new Set<string>()
  let place: string | undefined
  for (const { path } of entries) {
    const end = path.lastIndexOf('/') + 1
    if (place?.length === end && path.startsWith(place)) continue
    place = path.slice(0, end)
    places.add(place)
  }
  return places
}

function hasConversion({ settings }: Repository): boolean {
  return settings.format.some(
    ({ name, value }) => name === 'core.autocrlf' && !/^(?:false|no|off|0)$/i.test(value),
  )
}

function visitFolder(survey: Survey, tree: ServiceTree, folder: TreeFolder): readonly string[] {
  const { prefix, names } = folder
  const others = names.filter((name) => !compareTracked(survey, folder, name))
  const own = others.filter(({ name, kind }) => kind === 'folder' && survey.folders.has(prefix + name))
  const more = survey.untracked ? visitUntracked(survey.untracked, tree, folder, others) : []
  return [...own.map(({ name }) => name), ...more]
}

/** Answers whether it is a tracked file, which then is compared. */
function compareTracked(survey: Survey, { prefix, look }: TreeFolder, { name, kind }: TreeName): boolean {
  if (kind === 'folder') return false
  if (name === '.gitattributes') survey.has_attributes = true
  const path = prefix + name
  const entry = survey.missing.get(path)
  const stat = entry && look(name)
  if (entry === undefined || stat === undefined || isHeldPlace(stat)) return false
  survey.missing.delete(path)
  compareStat(survey, entry, stat)
  return true
}

function compareStat(survey: Survey, entry: IndexEntry, stat: TreeStat): void {
  const { path } = entry
  const difference = differenceOf(survey, entry, stat)
  if (difference === undefined) return
  if (survey.isClosed(path)) {
    if (difference !== 'touched') survey.hidden.add(path)
  } else if (difference === 'times' || difference === 'touched') survey.doubts.push({ entry, stat })
  else survey.changed.set(path, difference)
}

/** `touched` is a file that may have been changed in the moment in which the index was written. */
function differenceOf(
  { written, repository }: Pick<Survey, 'written' | 'repository'>,
  { mode, stat: known, is_intended }: IndexEntry,
  stat: TreeStat,
): 'M' | 'T' | 'A' | 'times' | 'touched' | undefined {
  if (is_intended) return 'A'
  const isOn = (key: string) =>
    !/^(?:false|no|off|0)$/i.test(repository.settings.format.find(({ name }) => name === key)?.value ?? '')
  const is_link = mode === LINK && (isOn('core.symlinks') || isLink(stat))
  if (is_link !== isLink(stat) || !(isFile(stat) || isLink(stat))) return 'T'
  const is_executable = (stat.mode & OWNER_EXECUTES) !== 0
  if (mode !== LINK && (mode === '100755') !== is_executable && isOn('core.filemode')) return 'M'
  const isSame =
    stat.mtime_ns === known.mtime_ns &&
    stat.mtime_s === known.mtime_s &&
    stat.ctime_ns === known.ctime_ns &&
    stat.ctime_s === known.ctime_s &&
    stat.size === known.size &&
    stat.ino === known.ino &&
    stat.uid === known.uid &&
    stat.gid === known.gid
  if (!isSame) return 'times'
  return isBefore(stat, written) ? undefined : 'touched'
}

function isBefore(one: IndexTime, other: IndexTime): boolean {
  return one.mtime_s < other.mtime_s || (one.mtime_s === other.mtime_s && one.mtime_ns < other.mtime_ns)
}

/** Whether a file is as it was when git last looked at it, by all that is known without reading it. */
export function isUntouched(
  repository: Repository,
  { written }: Index,
  entry: IndexEntry,
  stat: TreeStat,
): boolean {
  return differenceOf({ repository, written }, entry, stat) === undefined
}

/** Whether a file or link has the content and kind that git keeps, byte for byte. */
export function isSameEntry(entry: TreeEntry, { id, mode }: IndexEntry): boolean {
  const kept = entry.kind === 'link' ? LINK : entry.is_executable ? '100755' : '100644'
  return kept === mode && idOf(entry, id) === id
}

/** What has a name that no path could hold was not met, wherever it is. */
function noteMissing(survey: Survey, path: string): void {
  if (survey.isClosed(path) || !isShowable(path)) survey.hidden.add(path)
  else survey.changed.set(path, 'D')
}

interface Converted {
  readonly path: string
  readonly entry: TreeEntry
}

/** Reads what is in doubt; gives those of it that differ from what git keeps, but perhaps only by a conversion. */
function settleDoubts(survey: Survey, tree: ServiceTree): Converted[] {
  const converted: Converted[] = []
  let room = MAX_CONVERTED_BYTES
  for (const { entry, stat } of survey.doubts) {
    const { path, id } = entry
    const mayBeConverted = survey.has_attributes && isFile(stat)
    if (!mayBeConverted && entry.stat.size > 0 && stat.size !== entry.stat.size) {
      survey.changed.set(path, 'M')
      continue
    }
    const found = tryRead(tree, path)
    if (found !== undefined && idOf(found, id) === id) continue
    const bytes = found?.kind === 'file' ? found.bytes.length : 0
    if (found === undefined || !mayBeConverted || bytes > room) survey.changed.set(path, 'M')
    else converted.push({ path, entry: found })
    room -= bytes
  }
  return converted
}

/** Undefined for what cannot be read: it is not what git knows, whatever it is. */
function tryRead(tree: ServiceTree, path: string): TreeEntry | undefined {
  try {
    return tree.read(path, MAX_FILE_BYTES)
  } catch (error) {
    if (error instanceof FileFault || error instanceof GuardDenied) return undefined
    throw error
  }
}

/** The name that git gives a content, in the repository's own hash. */
function idOf(entry: TreeEntry, like: string): string {
  const bytes = entry.kind === 'file' ? entry.bytes : Buffer.from(entry.target)
  const hash = createHash(like.length === 64 ? 'sha256' : 'sha1')
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/** Lets git compare copies, with the attributes that say how it converts them. */
async function findConverted(
  call: GitCall,
  repository: Repository,
  files: readonly Converted[],
): Promise<readonly string[]> {
  if (files.length === 0) return []
  return withLentTree(call, repository, async (lent) => {
    const paths = files.map(({ path }) => path)
    call.guard.inTree((tree) => lendRules(repository, tree, lent, paths))
    for (const { path, entry } of files) lent.put(repository.prefix + path, entry)
    const outcome = await runGit(call, repository, {
      args: ['diff', '--no-ext-diff', '--name-only', '-z', '--relative', '--', ...paths],
      writes: 'nothing',
      lent,
      may_go_without: true,
      output_bytes: MAX_CONVERTED_BYTES,
    })
    const { stdout } = requireSuccess(outcome, 'git diff', 'Call again.')
    return stdout.split('\0').filter((path) => path !== '')
  })
}
