import { SandboxUnavailable } from '../../../../platform/sandbox/sandbox.ts'
import { sortPaths } from '../../git/closed-paths.ts'
import type { Repository } from '../../git/repository/repository.ts'
import { useRepository } from '../../git/repository/use-repository.ts'
import { requireOutput } from '../../git/run/git-outcome.ts'
import { type GitCall, runGit } from '../../git/run/git-run.ts'
import { ToolFault } from '../../tool-fault.ts'

export const COMMITS_LIMIT = 200
/** A commit of more files says nothing about two of them. */
const COMMIT_FILES_LIMIT = 40
const OUTPUT_BYTES = 4 * 1024 * 1024
const TIMEOUT_MS = 10_000
const COMMIT_MARK = '\u0001'

/** What the history says about a file. */
export interface CoChanges {
  /** Commits that changed it, without very large ones. */
  readonly commits: number
  /** Other files of the service, and in how many of these commits they were changed too. */
  readonly together: ReadonlyMap<string, number>
  /** Why there is nothing to be said. */
  readonly unknown?: string
}

/** Counts what was changed together with a file; a history that cannot be read is no fault. */
export async function readCoChanges(call: GitCall, path: string): Promise<CoChanges> {
  const { allowed_commands } = call.context
  if (allowed_commands !== undefined && !allowed_commands.includes('git'))
    return unknown('git may not be run here')
  try {
    return await useRepository(call, 'git_log', async (repository) =>
      countChanges(call, repository, path, await readLog(call, repository, path)),
    )
  } catch (error) {
    if (error instanceof SandboxUnavailable) return unknown('commands cannot be jailed here')
    if (error instanceof ToolFault) return unknown(error.message)
    throw error
  }
}

function unknown(reason: string): CoChanges {
  return { commits: 0, together: new Map(), unknown: reason }
}

async function readLog(call: GitCall, repository: Repository, path: string): Promise<string> {
  const outcome = await runGit(call, repository, {
    args: [
      'log',
      '--no-merges',
      '--no-renames',
      '--no-ext-diff',
      '--no-textconv',
      '--full-diff',
      '--name-only',
      '-z',
      `--format=%x01`,
      `--max-count=${COMMITS_LIMIT}`,
      '--',
      path,
    ],
    writes: 'nothing',
    may_go_without: true,
    output_bytes: OUTPUT_BYTES,
    timeout_ms: TIMEOUT_MS,
  })
  return requireOutput(outcome, 'git log').text
}

function countChanges({ policy }: GitCall, { prefix }: Repository, path: string, log: string): CoChanges {
  const together = new Map<string, number>()
  let commits = 0
  for (const files of parseLog(log)) {
    if (files.length > COMMIT_FILES_LIMIT) continue
    commits += 1
    for (const other of sortPaths(files, prefix, policy).own)
      if (other !== path) together.set(other, (together.get(other) ?? 0) + 1)
  }
  return { commits, together }
}

/** The files of each commit; names end with NUL, and each commit begins with a mark of its own. */
function parseLog(log: string): string[][] {
  const commits = log.split(COMMIT_MARK).slice(1)
  return commits.map((commit) =>
    commit
      .split('\0')
      .map((name) => name.replace(/^\n/, ''))
      .filter((name) => name !== ''),
  )
}
