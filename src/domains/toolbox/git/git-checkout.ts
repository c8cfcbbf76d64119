import { z } from 'zod'
import type { ToolCall, ToolDeclaration } from '../tool.ts'
import { ToolFault } from '../tool-fault.ts'
import { checkBranchName } from './branch-name.ts'
import { renderPaths, sortPaths, splitNames } from './closed-paths.ts'
import { SAFE_DIFF } from './git-environment.ts'
import { requireSuccess } from './git-outcome.ts'
import { type GitCall, runGit } from './git-run.ts'
import { openRepository, SOURCE_ROLES } from './open-repository.ts'
import { checkFolders, type Repository } from './repository.ts'
import { inTurn } from './turns.ts'

const MAX_LIST_BYTES = 8 * 1024 * 1024
const NAMES = ['--name-only', '-z', '--no-renames', '--ignore-submodules=none']
const SWITCH = ['switch', '--no-guess', '--no-recurse-submodules', '--no-overwrite-ignore']

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
    const repository = openRepository(call, 'git_checkout')
    return inTurn(repository.git_dir, () => checkout(call, repository))
  },
}

async function checkout(
  call: ToolCall<z.output<typeof Input>>,
  repository: Repository,
): Promise<z.output<typeof Output>> {
  const { branch, create_if_missing } = call.input
  checkFolders(repository)
  const created = !(await hasBranch(call, repository, branch))
  if (created && !create_if_missing) throw missingBranch(branch)
  const changed = created ? [] : await checkChanges(call, repository, branch)
  const outcome = await runGit(call, repository, {
    args: created ? [...SWITCH, '--no-track', '--create', branch] : [...SWITCH, branch],
    writes: created ? 'git_folder' : 'service',
  })
  if (USED_ELSEWHERE.test(outcome.stderr)) throw usedElsewhere(branch)
  const { stdout, stderr } = requireSuccess(outcome, 'git switch', adviceOn(outcome.stderr))
  return { stdout, stderr, branch, created, changed: [...changed] }
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
  const ref = `refs/heads/${branch}`
  const outcome = await runGit(call, repository, {
    args: ['for-each-ref', '--count=1', '--format=%(refname)', ref],
    writes: 'nothing',
  })
  return requireSuccess(outcome, 'git for-each-ref', 'Call again.').stdout.trimEnd() === ref
}

/** Refuses a switch that would reach beyond the service or into closed zones; gives what it would change. */
async function checkChanges(
  call: GitCall,
  repository: Repository,
  branch: string,
): Promise<readonly string[]> {
  const outcome = await runGit(call, repository, {
    args: [...SAFE_DIFF, ...NAMES, 'HEAD', `refs/heads/${branch}`, '--'],
    writes: 'nothing',
    output_bytes: MAX_LIST_BYTES,
  })
  const { stdout } = requireSuccess(
    outcome,
    'git diff',
    'The branches differ too much; ask the owner to switch.',
  )
  const { own, closed, foreign } = sortPaths(splitNames(stdout), repository.prefix, call.policy)
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
