import { setImmediate as nextTick } from 'node:timers/promises'
import { z } from 'zod'
import type { CommandOutcome } from '../../../platform/sandbox/sandbox.ts'
import type { ToolDeclaration } from '../tool.ts'
import { closedPaths } from './closed-paths.ts'
import { parseRawDiff } from './raw-diff.ts'
import { findBranch, type Repository, SOURCE_ROLES } from './repository/repository.ts'
import { useRepository } from './repository/use-repository.ts'
import { requireSuccess } from './run/git-outcome.ts'
import { type GitCall, runGit } from './run/git-run.ts'
import { type Head, isConflict, renderStatus, type StatusLine, statusLines } from './status-lines.ts'
import { type IndexEntry, MAX_LIST_BYTES, readIndex } from './tree/index-entries.ts'
import { compareWorkTree } from './tree/work-tree.ts'

const MAX_LISTED = 2_000
const LIST_STAGED =
  'diff-index --cached --ita-invisible-in-index --raw -M -z --relative --ignore-submodules=all HEAD --'.split(
    ' ',
  )
const NO_COMMIT = /^fatal: bad revision 'HEAD'$/m

const Input = z.strictObject({})
const Output = z.strictObject({
  stdout: z.string().describe('As `git status --short --branch` prints it, paths relative to the service'),
  stderr: z.string(),
  branch: z.string().nullable().describe('Nothing while no branch is checked out'),
  staged: z.array(z.string()),
  unstaged: z.array(z.string()),
  untracked: z.array(z.string()).describe('A folder without any tracked file stands for all in it'),
  conflicted: z.array(z.string()),
  hidden: z.int().describe('How many paths are left out: in closed zones, or with a name that no tool takes'),
  truncated: z.boolean(),
})

/** Shows what is changed, staged and untracked in the service. */
export const gitStatus: ToolDeclaration<typeof Input, z.output<typeof Output>> = {
  name: 'git_status',
  description:
    'Shows the branch and what is staged, changed and untracked in your service. Changes nothing. ' +
    'Other services and closed zones (.env, secrets/, node_modules/) are not shown.',
  effect: 'read',
  idempotent: true,
  roles: SOURCE_ROLES,
  input: Input,
  output: Output,
  handle: (call) => useRepository(call, 'git_status', (repository) => readStatus(call, repository)),
}

async function readStatus(call: GitCall, repository: Repository): Promise<z.output<typeof Output>> {
  const listing = runGit(call, repository, {
    args: LIST_STAGED,
    writes: 'nothing',
    may_go_without: true,
    output_bytes: MAX_LIST_BYTES,
  })
  // git compares the index with the commit in a process of its own, and the files are looked at meanwhile.
  const [staged, { entries, tree }] = await Promise.all([
    listing,
    startSoon(() => lookAtFiles(call, repository)),
  ])
  const is_born = !NO_COMMIT.test(staged.stderr)
  const changes = is_born ? parseRawDiff(requireList(staged)).changes : allAdded(entries)
  const lines = statusLines(changes, entries, tree)
  const isClosedPath = closedPaths(call.policy)
  const isClosed = (path: string) => isClosedPath(path.replace(/\/$/, ''))
  const closed = lines.filter(({ path, from }) => isClosed(path) || (from !== undefined && isClosed(from)))
  const hidden = new Set([...tree.hidden, ...closed.map(({ path }) => path)])
  const head = { branch: findBranch(repository), is_born }
  return answer(
    head,
    lines.filter((line) => !closed.includes(line)),
    hidden.size,
  )
}

async function lookAtFiles(call: GitCall, repository: Repository) {
  const index = readIndex(repository)
  return { entries: index.entries, tree: await compareWorkTree(call, repository, index, { untracked: true }) }
}

function requireList(step: CommandOutcome): string {
  return requireSuccess(step, 'git status', 'The index is too large to be listed.').stdout
}

/** Lets the process be started first. */
async function startSoon<Result>(work: () => Result): Promise<Result> {
  await nextTick()
  return work()
}

/** Before the first commit everything that is staged is new. */
function allAdded(entries: readonly IndexEntry[]) {
  const staged = entries.filter(({ stage, is_intended }) => stage === 0 && !is_intended)
  return staged.map(({ path }) => ({ status: 'A', path, from: undefined }))
}

function answer(head: Head, open: readonly StatusLine[], hidden: number): z.output<typeof Output> {
  const shown = open.slice(0, MAX_LISTED)
  const paths = (isOne: (line: StatusLine) => boolean) => shown.filter(isOne).map(({ path }) => path)
  return {
    stdout: renderStatus(head, shown),
    stderr: '',
    branch: head.branch ?? null,
    staged: paths((line) => !isConflict(line) && /[MADRCT]/.test(line.index)),
    unstaged: paths((line) => !isConflict(line) && /[MADRCT]/.test(line.tree)),
    untracked: paths((line) => line.index === '?'),
    conflicted: paths(isConflict),
    hidden,
    truncated: open.length > shown.length,
  }
}
