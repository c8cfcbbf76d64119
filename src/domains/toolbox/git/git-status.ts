import { z } from 'zod'
import type { ToolDeclaration } from '../tool.ts'
import { isClosedPath } from './closed-paths.ts'
import { requireOutput } from './git-outcome.ts'
import { type GitCall, runGit } from './git-run.ts'
import { openRepository, SOURCE_ROLES } from './open-repository.ts'
import { isConflict, parseShortStatus, type StatusLine } from './status-lines.ts'

const MAX_LISTED = 2_000
const ARGS = ['status', '--short', '--branch', '--untracked-files=normal', '--ignore-submodules=all']

const Input = z.strictObject({})
const Output = z.strictObject({
  stdout: z.string().describe('As `git status --short --branch` prints it, paths relative to the service'),
  stderr: z.string(),
  branch: z.string().nullable().describe('Nothing while no branch is checked out'),
  staged: z.array(z.string()),
  unstaged: z.array(z.string()),
  untracked: z.array(z.string()).describe('A folder without any tracked file stands for all in it'),
  conflicted: z.array(z.string()),
  hidden: z.int().describe('How many paths in closed zones are left out'),
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
  async handle(call) {
    const repository = openRepository(call, 'git_status')
    const outcome = await runGit(call, repository, {
      args: [...ARGS, '--', '.'],
      writes: 'nothing',
      may_go_without: true,
    })
    const { text, is_cut } = requireOutput(outcome, 'git status')
    return renderStatus(call, text, outcome.stderr, is_cut)
  },
}

function renderStatus(
  { policy }: GitCall,
  text: string,
  stderr: string,
  is_cut: boolean,
): z.output<typeof Output> {
  const { branch, header, lines } = parseShortStatus(text)
  const isShown = (path: string) => !path.startsWith('../') && !isClosedPath(policy, path.replace(/\/$/, ''))
  const open = lines.filter(({ path, from }) => isShown(path) && (from === undefined || isShown(from)))
  const shown = open.slice(0, MAX_LISTED)
  const paths = (isOne: (line: StatusLine) => boolean) => shown.filter(isOne).map(({ path }) => path)
  return {
    stdout: [header, ...shown.map((line) => line.text), ''].join('\n'),
    stderr,
    branch: branch ?? null,
    staged: paths((line) => !isConflict(line) && /[MADRCT]/.test(line.index)),
    unstaged: paths((line) => !isConflict(line) && /[MADRCT]/.test(line.tree)),
    untracked: paths((line) => line.index === '?'),
    conflicted: paths(isConflict),
    hidden: lines.length - open.length,
    truncated: is_cut || open.length > shown.length,
  }
}
