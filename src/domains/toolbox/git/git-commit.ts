import { z } from 'zod'
import type { ToolCall, ToolDeclaration } from '../tool.ts'
import { readMessage } from './commit-message.ts'
import { openRepository, type Repository, SOURCE_ROLES } from './repository/repository.ts'
import { withRepositoryLock } from './repository/repository-lock.ts'
import { useRepository } from './repository/use-repository.ts'
import { requireSuccess } from './run/git-outcome.ts'
import { runGit } from './run/git-run.ts'
import { checkStaged, readStagedChanges } from './staged-changes.ts'

/** Of a message in a call at all; what is a good message is said elsewhere. */
const MAX_INPUT_CHARS = 100_000
const COMMIT =
  '-c core.abbrev=no commit --no-verify --no-gpg-sign --no-status --cleanup=whitespace --file=-'.split(' ')
const SUMMARY = /^\[(.+?) (?:\(root-commit\) )?([0-9a-f]{40}|[0-9a-f]{64})\]/m

const Input = z.strictObject({
  message: z.string().max(MAX_INPUT_CHARS).describe('What the commit changes; the first line is its title'),
})
const Output = z.strictObject({
  stdout: z.string(),
  stderr: z.string(),
  commit: z.string().nullable().describe('The id of the new commit'),
  files: z.array(z.string()),
  not_searched: z
    .array(z.string())
    .optional()
    .describe('Of these, binary files too large to be looked through for secrets'),
})

/** Records what is staged. */
export const gitCommit: ToolDeclaration<typeof Input, z.output<typeof Output>> = {
  name: 'git_commit',
  description:
    'Commits what git_add has staged, without running hooks or signing; during a merge it ends the merge. ' +
    'Refused: a blank message, a message or an added line with a secret in it, and staged files outside your ' +
    'service or in closed zones. Files with NUL bytes, which are binary to git, are looked through for secrets of ' +
    'known forms; not_searched names those that are too large for it. The ' +
    "author is the repository's user.name and user.email, or knowtation-agent <agent@localhost>.",
  effect: 'create',
  roles: SOURCE_ROLES,
  input: Input,
  output: Output,
  check(call) {
    readMessage(call.input.message, call.redactor)
    openRepository(call, 'git_commit')
  },
  handle(call) {
    const message = readMessage(call.input.message, call.redactor)
    return useRepository(call, 'git_commit', (repository) =>
      withRepositoryLock(repository.git_dir, () => commit(call, repository, message)),
    )
  },
}

async function commit(
  call: ToolCall<z.output<typeof Input>>,
  repository: Repository,
  message: string,
): Promise<z.output<typeof Output>> {
  const staged = await readStagedChanges(call, repository)
  const { files, not_searched } = await checkStaged(call, repository, staged)
  const date = `${Math.floor(call.now.getTime() / 1_000)} +0000`
  const outcome = await runGit(call, repository, {
    args: COMMIT,
    stdin: message,
    writes: 'git_folder',
    env: { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
  })
  const { stdout, stderr } = requireSuccess(
    outcome,
    'git commit',
    'Read stderr in the details; see git_status.',
  )
  const id = SUMMARY.exec(stdout)?.[2] ?? null
  const rest = not_searched.length > 0 && { not_searched: [...not_searched] }
  return { stdout, stderr, commit: id, files: [...files], ...rest }
}
