import { type Dirent, existsSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isPlaceholder } from '../../../platform/sandbox/placeholder.ts'
import type { ToolContext } from '../tool-context.ts'
import { ToolFault } from '../tool-fault.ts'
import { settingsOf } from './settings-cache.ts'
import { notSupported, type RepositorySettings } from './trusted-config.ts'

/** A repository that was looked over and found plain. */
export interface Repository {
  readonly work_tree: string
  readonly git_dir: string
  /** Of the service in the work tree, with a slash at the end; empty where they are the same folder. */
  readonly prefix: string
  readonly service_root: string
  /** What lies in the git folder and is not shown to git. */
  readonly masked: readonly string[]
  readonly settings: RepositorySettings
}

const MAX_GIT_ENTRIES = 2_000
const FOLDERS = ['objects', 'refs'] as const
const FILES = ['HEAD', 'config'] as const
/** Nothing that the tools do needs these, and each can make git run or read what is elsewhere. */
const UNWANTED = ['hooks', 'modules', 'config.worktree', 'info/attributes'] as const
const BORROWING = ['objects/info/alternates', 'objects/info/http-alternates'] as const

/** Looks for the repository in its two places, the service's folder and the project's, and nowhere else. */
export function requireRepository(context: ToolContext): Repository {
  const { service_root, project_root } = context
  const work_tree = [service_root, project_root].find((folder) => hasRepository(folder))
  if (work_tree === undefined) throw noRepository()
  const git_dir = join(work_tree, '.git')
  const names = checkPlain(git_dir)
  const below = relative(work_tree, service_root)
  return {
    work_tree,
    git_dir,
    service_root,
    prefix: below === '' ? '' : `${below}/`,
    masked: UNWANTED.filter(
      (name) => names.has(name) || (name.includes('/') && existsSync(join(git_dir, name))),
    ).map((name) => join(git_dir, name)),
    settings: settingsOf(join(git_dir, 'config')),
  }
}

// While a command runs in a service without a repository, an empty folder keeps one from being made there.
function hasRepository(folder: string): boolean {
  const entry = findEntry(join(folder, '.git'))
  return entry !== undefined && !isPlaceholder(entry)
}

function noRepository(): ToolFault {
  return new ToolFault(
    'NotConfigured',
    'There is no git repository at the root of the service or of the project.',
    'Ask the owner to make one there; the git tools look in no other place.',
  )
}

/** Refuses a git folder that leads elsewhere; gives the names in it. */
function checkPlain(git_dir: string): ReadonlySet<string> {
  if (!findEntry(git_dir)?.isDirectory()) {
    throw notSupported('.git is a file or a link that leads to another place')
  }
  const entries = new Map(readdirSync(git_dir, { withFileTypes: true }).map((entry) => [entry.name, entry]))
  if (entries.size > MAX_GIT_ENTRIES) throw notSupported('.git holds too many files')
  for (const entry of entries.values()) checkEntry(entry)
  if (!FOLDERS.every((name) => entries.get(name)?.isDirectory())) throw notSupported('.git is incomplete')
  if (!FILES.every((name) => entries.get(name)?.isFile())) throw notSupported('.git is incomplete')
  for (const name of BORROWING) {
    if (findEntry(join(git_dir, name))) throw notSupported('it borrows objects from another repository')
  }
  return new Set(entries.keys())
}

function checkEntry(entry: Dirent): void {
  if (entry.isSymbolicLink()) throw notSupported(`.git/${entry.name} is a link`)
  if (!entry.isFile() && !entry.isDirectory()) throw notSupported(`.git/${entry.name} is no plain file`)
  if (entry.name === 'commondir') throw notSupported('it is a linked work tree')
}

/** What stands at a path, without following a link. */
function findEntry(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

/** Refuses to go on when the folders that a command is to see are not there; git would take files for deleted. */
export function checkFolders(repository: Repository): void {
  for (const folder of [repository.work_tree, repository.service_root, repository.git_dir]) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) continue
    throw new ToolFault('FileNotFound', 'A folder of the repository has gone.', 'Call the tool again.')
  }
}
