import { z } from 'zod'
import { tryQuietly } from '../../../platform/guard/faults.ts'
import type { TreeEntry } from '../../../platform/guard/tree/service-tree.ts'
import type { CommandOutcome } from '../../../platform/sandbox/sandbox.ts'
import type { ToolCall, ToolDeclaration } from '../tool.ts'
import { ToolFault } from '../tool-fault.ts'
import { withTreeLock } from '../tree-lock.ts'
import { checkBranchName } from './branch-name.ts'
import { renderPaths, sortPaths, splitNames } from './closed-paths.ts'
import { findBranch, openRepository, type Repository, SOURCE_ROLES } from './repository/repository.ts'
import { withRepositoryLock } from './repository/repository-lock.ts'
import { useRepository } from './repository/use-repository.ts'
import { SAFE_DIFF } from './run/git-environment.ts'
import { requireSuccess } from './run/git-outcome.ts'
import { type GitCall, runGit, runGitSteps } from './run/git-run.ts'
import { type Index, MAX_LIST_BYTES, readIndex } from './tree/index-entries.ts'
import { lendObstacles } from './tree/lend-obstacles.ts'
import { type LentTree, withLentTree } from './tree/lent-tree.ts'

const NAMES = ['--name-only', '-z', '--no-renames', '--ignore-submodules=none']
const SWITCH = ['switch', '--no-guess', '--no-recurse-submodules', '--no-overwrite-ignore']

const COMMIT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const USED_ELSEWHERE = /^fatal: '.*' is already (?:checked out|used by worktree) at '/m

const Input = z.strictObject({
  branch: z.string().max(1_000).describe('The name of a branch, such as feature/login'),
  create_if_missing: z.boolean().default(false).describe('Make the branch here when there is none'),
})
const Output = z.strictObject({
  stdout: z.string(),
  stderr: z.string(),
  branch: z.string(),
  created: z.boolean(),
  changed: z.array(z.string()).describe('Files of the service that differ between the two branches'),
})

type Call = ToolCall<z.output<typeof Input>>

/** Switches to another branch. */
export const gitCheckout: ToolDeclaration<typeof Input, z.output<typeof Output>> = {
  name: 'git_checkout',
  description:
    'Switches to a local branch; with create_if_missing:true a missing one is made at the current commit. ' +
    'Your uncommitted changes are kept, or the switch is refused where it would overwrite them. Refused too ' +
    'where it would change files outside your service or in closed zones. Content filters such as Git LFS ' +
    'are not run: their files appear as they are stored.',
  effect: 'update',
  idempotent: true,
  roles: SOURCE_ROLES,
  input: Input,
  output: Output,
  check(call) {
    checkBranchName(call.input.branch)
    openRepository(call, 'git_checkout')
  },
  handle(call) {
    checkBranchName(call.input.branch)
    return useRepository(call, 'git_checkout', (repository) => checkout(call, repository))
  },
}

/**
 * While an agent's code runs in the service, what is written there is not put under it. Only who holds the service
 * takes the repository's lock: a command in one service must not keep the git of the others waiting.
 */
async function checkout(call: Call, { git_dir }: Repository): Promise<z.output<typeof Output>> {
  const made = call.input.create_if_missing && (await withRepositoryLock(git_dir, () => makeIfMissing(call)))
  return made || withTreeLock(call, () => withRepositoryLock(git_dir, () => switchTo(call)))
}

/** Undefined where the branch is there already. */
async function makeIfMissing(call: Call): Promise<z.output<typeof Output> | undefined> {
  const { branch } = call.input
  const repository = openRepository(call, 'git_checkout')
  if (await hasBranch(call, repository, branch)) return undefined
  const outcome = await runGit(call, repository, {
    args: [...SWITCH, '--quiet', '--no-track', '--create', branch],
    writes: 'git_folder',
  })
  const { stdout } = requireSwitched(outcome, branch)
  return { stdout, stderr: `Switched to a new branch '${branch}'\n`, branch, created: true, changed: [] }
}

/**
 * git switches in a tree of the hub's own, which has only what stands in the way of the switch; the guard then carries
 * the result over. So git opens no name in the service, and what it refuses is refused before anything is changed.
 */
async function switchTo(call: Call): Promise<z.output<typeof Output>> {
  const { branch } = call.input
  const repository = openRepository(call, 'git_checkout')
  const { paths, index } = await readDifference(call, repository, branch)
  return withLentTree(call, repository, async (lent) => {
    const before = lendObstacles(call, repository, lent, paths, index)
    const from = findBranch(repository) ?? (await readCommit(call, repository))
    const outcome = await runGit(call, repository, { args: [...SWITCH, branch], writes: 'lent_tree', lent })
    const { stderr } = requireSwitched(outcome, branch)
    try {
      carryOver(call, repository, lent, paths)
    } catch (error) {
      await switchBack(call, repository, lent, { from, paths, before })
      throw error
    }
    return { stdout: '', stderr, branch, created: false, changed: [...paths] }
  })
}

function requireSwitched(outcome: CommandOutcome, branch: string): CommandOutcome {
  if (USED_ELSEWHERE.test(outcome.stderr)) throw usedElsewhere(branch)
  return requireSuccess(outcome, 'git switch', adviceOn(outcome.stderr))
}

/** Puts every path of the switch into the service as git has left it in the lent tree; removals make room first. */
function carryOver(call: Call, { prefix }: Repository, lent: LentTree, paths: readonly string[]): void {
  const entries = paths.map((path) => [path, lent.read(prefix + path)] as const)
  call.guard.inTree((tree) => {
    for (const [path, entry] of entries) if (entry === undefined) tree.remove(path)
    for (const [path, entry] of entries) if (entry !== undefined) tree.put(path, entry)
  })
}

/** What has to be there again where a switch could not be carried out in the service. */
interface SwitchedFrom {
  /** A branch, or the commit that was checked out without one. */
  readonly from: string
  readonly paths: readonly string[]
  readonly before: ReadonlyMap<string, TreeEntry>
}

/** Goes back to where the repository was, and gives the files back that were replaced already. */
async function switchBack(
  call: Call,
  repository: Repository,
  lent: LentTree,
  { from, paths, before }: SwitchedFrom,
): Promise<void> {
  const back = COMMIT_ID.test(from) ? ['--detach', from] : [from]
  await runGit(call, repository, { args: [...SWITCH, ...back], writes: 'lent_tree', lent })
  call.guard.inTree((tree) => {
    for (const path of paths) {
      const entry = before.get(path) ?? lent.read(repository.prefix + path)
      tryQuietly(() => (entry === undefined ? tree.remove(path) : tree.put(path, entry)))
    }
  })
}

/** What git says names the folder of the other work tree, which lies outside of the service. */
function usedElsewhere(branch: string): ToolFault {
  return new ToolFault(
    'CommandFailed',
    `The branch ${branch} is checked out in another work tree of the repository.`,
    'Work on another branch, or make one with create_if_missing:true; the owner can free this one.',
  )
}

function adviceOn(stderr: string): string {
  if (/cannot switch branch while merging/.test(stderr))
    return 'End the merge first: solve the conflicts that git_status shows, then git_add and git_commit.'
  if (/cannot switch branch while/.test(stderr))
    return 'Something is half done in this repository that only the owner can end; stay on the branch as it is.'
  if (/cannot lock ref/.test(stderr))
    return 'There is a branch whose name is the beginning of this one, or begins with it; use another name.'
  return 'Commit your changes with git_add and git_commit first, or put the named files aside.'
}

function missingBranch(branch: string): ToolFault {
  return new ToolFault(
    'CommandFailed',
    `There is no branch ${branch}.`,
    'Check the name, or call again with create_if_missing:true.',
  )
}

/** Whether a local branch of exactly this name exists. */
export async function hasBranch(call: GitCall, repository: Repository, branch: string): Promise<boolean> {
  return isListed(await runGit(call, repository, { args: listBranch(branch), writes: 'nothing' }), branch)
}

function listBranch(branch: string): string[] {
  return ['for-each-ref', '--count=1', '--format=%(refname)', `refs/heads/${branch}`]
}

function isListed(outcome: CommandOutcome, branch: string): boolean {
  const { stdout } = requireSuccess(outcome, 'git for-each-ref', 'Call again.')
  return stdout.trimEnd() === `refs/heads/${branch}`
}

async function readCommit(call: GitCall, repository: Repository): Promise<string> {
  const outcome = await runGit(call, repository, { args: ['rev-parse', 'HEAD'], writes: 'nothing' })
  return requireSuccess(outcome, 'git rev-parse', 'Call again.').stdout.trim()
}

/** What a switch would change, and what git's index says of it. */
async function readDifference(
  call: GitCall,
  repository: Repository,
  branch: string,
): Promise<{ paths: readonly string[]; index: Index }> {
  const [found, differing] = await runGitSteps(
    call,
    repository,
    [listBranch(branch), [...SAFE_DIFF, ...NAMES, 'HEAD', `refs/heads/${branch}`, '--']],
    { writes: 'nothing', output_bytes: MAX_LIST_BYTES },
  )
  if (!isListed(found, branch)) throw missingBranch(branch)
  const suggestion = 'The branches differ too much; ask the owner to switch.'
  const paths = ownPaths(call, repository, branch, requireSuccess(differing, 'git diff', suggestion).stdout)
  return { paths, index: readIndex(repository) }
}

/** Refuses a switch that would reach beyond the service or into closed zones; gives what it would change. */
function ownPaths(call: GitCall, repository: Repository, branch: string, names: string): readonly string[] {
  const { own, closed, foreign } = sortPaths(splitNames(names), repository.prefix, call.policy)
  const [kind, paths] = foreign.length > 0 ? ['outside your service', foreign] : ['in closed zones', closed]
  if (paths.length === 0) return own
  throw new ToolFault(
    'SecurityError',
    `Switching to ${branch} would change files ${kind}: ${renderPaths(paths)}.`,
    'Ask the owner to switch, or work on a branch that differs in your service only.',
    {
      violation: {
        violation_type: foreign.length > 0 ? 'scope_outside' : 'scope_blocked',
        target_path: paths[0] ?? null,
        command_args: ['git', 'switch', branch],
      },
    },
  )
}
