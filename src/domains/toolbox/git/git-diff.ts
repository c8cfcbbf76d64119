import { z } from 'zod'
import { FileFault, GuardDenied } from '../../../platform/guard/guard.ts'
import type { ToolDeclaration } from '../tool.ts'
import { sortPaths, splitNames } from './closed-paths.ts'
import { SAFE_DIFF } from './git-environment.ts'
import { requireOutput, requireSuccess } from './git-outcome.ts'
import { type GitCall, runGit } from './git-run.ts'
import { openRepository, SOURCE_ROLES } from './open-repository.ts'
import type { Repository } from './repository.ts'
import { inTurn } from './turns.ts'

const MAX_FILES = 1_000
/** Of all names together, as they are arguments of one command. */
const MAX_NAME_BYTES = 64 * 1024
const MAX_LIST_BYTES = 4 * 1024 * 1024
/** What git shows of a heading at most. */
const HEADING_BYTES = 80
const HEADING = /(?<=^|\n)(@@+ [-+,0-9 ]+ @@+) ([^\n]*)/g
const DIFF = [...SAFE_DIFF, '--ignore-submodules=all']

const Input = z.strictObject({
  staged: z.boolean().default(false).describe('Show what is staged instead of what is not'),
})
const Output = z.strictObject({
  stdout: z.string().describe('The patch, paths relative to the service'),
  stderr: z.string(),
  files: z.array(z.string()).describe('The files that the patch is of'),
  hidden: z.int().describe('How many changed files are left out: closed zones, links out of the service'),
  truncated: z.boolean(),
})

/** Shows differences in the service, line by line. */
export const gitDiff: ToolDeclaration<typeof Input, z.output<typeof Output>> = {
  name: 'git_diff',
  description:
    'Shows the changes in your service as a patch: unstaged ones, or with staged:true those that git_commit ' +
    'would record. Changes nothing. Untracked files are not part of it, nor are other services and closed ' +
    'zones. A long patch is cut at a whole line and says truncated:true.',
  effect: 'read',
  idempotent: true,
  roles: SOURCE_ROLES,
  input: Input,
  output: Output,
  handle(call) {
    const repository = openRepository(call, 'git_diff')
    return inTurn(repository.git_dir, () => diff(call, repository, call.input.staged ? ['--cached'] : []))
  },
}

async function diff(
  call: GitCall,
  repository: Repository,
  which: string[],
): Promise<z.output<typeof Output>> {
  const changed = await listChanged(call, repository, which)
  const readable = changed.own.filter((path) => isReadable(call, path))
  const files = withinLimits(readable)
  const hidden = changed.own.length - readable.length + changed.closed.length
  if (files.length === 0) return { stdout: '', stderr: '', files: [], hidden, truncated: readable.length > 0 }
  const outcome = await runGit(call, repository, {
    args: [...DIFF, ...which, '--relative', '--', ...files],
    writes: 'nothing',
    may_go_without: true,
  })
  const { text, is_cut } = requireOutput(outcome, 'git diff')
  const truncated = is_cut || files.length < readable.length
  return { stdout: withoutCutHeadings(text), stderr: outcome.stderr, files, hidden, truncated }
}

/**
 * git shows a line from further up behind each `@@`, cut off after some bytes. The half of a secret is no longer
 * known for one, so a heading that was cut is left out; every line of a file itself has a sign before it.
 */
function withoutCutHeadings(patch: string): string {
  return patch.replaceAll(HEADING, (line, place: string, heading: string) =>
    Buffer.byteLength(heading) < HEADING_BYTES ? line : place,
  )
}

async function listChanged(call: GitCall, repository: Repository, which: readonly string[]) {
  const outcome = await runGit(call, repository, {
    args: [...DIFF, ...which, '--name-only', '-z', '--no-renames', '--', '.'],
    writes: 'nothing',
    may_go_without: true,
    output_bytes: MAX_LIST_BYTES,
  })
  const { stdout } = requireSuccess(outcome, 'git diff', 'Too much is changed to be shown; use git_status.')
  const { own, closed } = sortPaths(splitNames(stdout), repository.prefix, call.policy)
  // A path stands for everything below it: where a file became a folder, that could be a closed file.
  const above = new Set(closed.flatMap(foldersAbove))
  return { closed, own: own.filter((path) => !above.has(path)) }
}

function foldersAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

/** Whether the guard would let the file be read; a deleted one has nothing left to protect. */
function isReadable({ guard }: GitCall, path: string): boolean {
  try {
    guard.check(path, 'read')
    return true
  } catch (error) {
    if (error instanceof FileFault) return true
    if (error instanceof GuardDenied) return false
    throw error
  }
}

function withinLimits(paths: readonly string[]): string[] {
  let room = MAX_NAME_BYTES
  return paths.slice(0, MAX_FILES).filter((path) => {
    room -= Buffer.byteLength(path) + 1
    return room >= 0
  })
}
