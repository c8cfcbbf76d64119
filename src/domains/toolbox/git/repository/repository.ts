import { type Dirent, existsSync, lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs'
import { join, relative } from 'node:path'
import { tryQuietly } from '../../../../platform/guard/faults.ts'
import { GuardDenied } from '../../../../platform/guard/guard.ts'
import { isPlaceholder } from '../../../../platform/sandbox/mount-point.ts'
import type { ToolContext } from '../../tool-context.ts'
import { ToolFault } from '../../tool-fault.ts'
import type { GitCall } from '../run/git-run.ts'
import { readPlainly } from './read-plainly.ts'
import { notSupported, type RepositorySettings, settingsOf } from './trusted-config.ts'

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
function requireRepository(context: ToolContext): Repository {
  const { service_root, project_root } = context
  requireInPlace(service_root)
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

// A seat has the real path of its folder: where a link is met on the way, the repository behind it is somebody else's.
function requireInPlace(service_root: string): void {
  if (tryQuietly(() => realpathSync(service_root)) !== service_root) throw new GuardDenied('changed', '.')
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
    throw notSupported(whyNoFolder(git_dir))
  }
  const entries = new Map(readdirSync(git_dir, { withFileTypes: true }).map((entry) => [entry.name, entry]))
  if (entries.size > MAX_GIT_ENTRIES) throw notSupported('.git holds too many files')
  for (const entry of entries.values()) checkEntry(entry)
  if (!FOLDERS.every((name) => entries.get(name)?.isDirectory())) throw notSupported('.git is incomplete')
  if (!FILES.every((name) => entries.get(name)?.isFile())) throw notSupported('.git is incomplete')
  for (const name of BORROWING) {
    if (findEntry(join(git_dir, name)))
      throw notSupported(
        `it borrows objects from another repository, which .git/${name} names; \`git repack -a -d\` takes them in, and then that file can go`,
      )
  }
  return new Set(entries.keys())
}

/** A tool says what stands in its way, and not where the other place is. */
function whyNoFolder(git_dir: string): string {
  const entry = findEntry(git_dir)
  if (entry?.isSymbolicLink()) return '.git is a link that leads to another place'
  if (!entry?.isFile()) return '.git is neither a folder nor a file'
  const led = /^gitdir: .*\/worktrees\/[^/\n]+\s*$/.test(
    readPlainly(git_dir, MAX_HEAD_BYTES)?.toString('utf8') ?? '',
  )
  return led
    ? 'it is a linked work tree, made by `git worktree add`: its objects and branches lie in another folder, which the git tools do not open'
    : '.git is a file that leads to another place'
}

function checkEntry(entry: Dirent): void {
  if (entry.isSymbolicLink()) throw notSupported(`.git/${entry.name} is a link`)
  if (!entry.isFile() && !entry.isDirectory()) throw notSupported(`.git/${entry.name} is no plain file`)
  if (entry.name === 'commondir') throw notSupported('it is a linked work tree')
}

const MAX_HEAD_BYTES = 4_096
const BRANCH = /^ref: refs\/heads\/([^\n]+)\n?$/

/** The branch that is checked out; undefined where there is none. */
export function findBranch({ git_dir }: Pick<Repository, 'git_dir'>): string | undefined {
  return BRANCH.exec(readPlainly(join(git_dir, 'HEAD'), MAX_HEAD_BYTES)?.toString('utf8') ?? '')?.[1]
}

/** What stands at a path, without following a link. */
function findEntry(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

/** Roles that work on the source of a service. */
export const SOURCE_ROLES = ['dev', 'sre', 'release_manager'] as const

/** Finds the repository of a call, where the task may run git at all. */
export function openRepository(call: Pick<GitCall, 'context'>, tool: string): Repository {
  const { allowed_commands } = call.context
  if (allowed_commands !== undefined && !allowed_commands.includes('git')) {
    throw new ToolFault(
      'PolicyViolation',
      'This task may not run git.',
      'Work without git, or ask for a task whose allowed commands name it.',
      {
        violation: { violation_type: 'command_whitelist', target_path: null, command_args: ['git', tool] },
      },
    )
  }
  return requireRepository(call.context)
}
