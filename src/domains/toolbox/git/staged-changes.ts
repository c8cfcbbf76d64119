import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from '../../../platform/redaction/finding.ts'
import { redactedLines } from '../../../platform/redaction/redacted-lines.ts'
import type { Redactor } from '../../../platform/redaction/redactor.ts'
import { ToolFault } from '../tool-fault.ts'
import { type ChangedRun, parseAddedLines } from './added-lines.ts'
import { type BinaryChange, findBinarySecrets } from './binary-secrets.ts'
import { renderPaths, sortPaths } from './closed-paths.ts'
import { parseRawDiff } from './raw-diff.ts'
import type { Repository } from './repository/repository.ts'
import { readBlobs } from './run/blob-contents.ts'
import { SAFE_DIFF } from './run/git-environment.ts'
import { requireSuccess } from './run/git-outcome.ts'
import { type GitCall, runGit } from './run/git-run.ts'
import { SUBMODULE } from './tree/index-entries.ts'

/** Of the whole patch that is looked through before a commit. */
const MAX_PATCH_BYTES = 16 * 1024 * 1024
// The index is compared with a commit, so no submodule is entered: a changed one is only named.
const STAGED = [
  '--cached',
  '--raw',
  '--no-abbrev',
  '-z',
  '--patch',
  '--no-renames',
  '--ignore-submodules=none',
  '--submodule=short',
]

/** What the next commit would record. */
export interface StagedChanges {
  /** Relative to the work tree. */
  readonly paths: readonly string[]
  readonly conflicted: readonly string[]
  readonly runs: readonly ChangedRun[]
  /** Files with another content of which no lines are shown. */
  readonly binary: readonly BinaryChange[]
  /** Those of which lines are shown. */
  readonly text: readonly BinaryChange[]
}

/** Asks git for everything that is staged, in the service and elsewhere. */
export async function readStagedChanges(call: GitCall, repository: Repository): Promise<StagedChanges> {
  const outcome = await runGit(call, repository, {
    args: [...SAFE_DIFF, ...STAGED, '--'],
    writes: 'nothing',
    sees_all_text: true,
    output_bytes: MAX_PATCH_BYTES,
  })
  const suggestion = 'Commit in smaller parts: so much cannot be looked through for secrets.'
  return parseStaged(requireSuccess(outcome, 'git diff --cached', suggestion).stdout)
}

/** Reads the list of files and the patch behind it. */
export function parseStaged(text: string): StagedChanges {
  const { changes, end } = parseRawDiff(text)
  const runs = parseAddedLines(text.slice(end).replace(/^\0/, ''))
  const shown = new Set(runs.map(({ path }) => path))
  const readable = changes.filter(
    ({ status, new_mode, old_id, new_id }) =>
      !/[DU]/.test(status) && new_mode !== SUBMODULE && old_id !== new_id,
  )
  return {
    paths: changes.map(({ path }) => path),
    conflicted: changes.filter(({ status }) => status === 'U').map(({ path }) => path),
    runs,
    binary: readable.filter(({ path }) => !shown.has(path)),
    text: readable.filter(({ path }) => shown.has(path)),
  }
}

/** What may be committed, and what of it was too large to be looked through. */
export interface CheckedChanges {
  readonly files: readonly string[]
  readonly not_searched: readonly string[]
}

/** Refuses to commit nothing, a conflict, other services' changes, closed files, or a secret. */
export async function checkStaged(
  call: GitCall,
  repository: Repository,
  staged: StagedChanges,
): Promise<CheckedChanges> {
  const { prefix, git_dir } = repository
  const { own, closed, foreign } = sortPaths(staged.paths, prefix, call.policy)
  // A merge that was solved as the branch had it all along has nothing staged, and still is to be recorded.
  if (staged.paths.length === 0 && !existsSync(join(git_dir, 'MERGE_HEAD'))) {
    throw new ToolFault('CommandFailed', 'Nothing is staged.', 'Stage files with git_add first.')
  }
  if (staged.conflicted.length > 0) {
    throw new ToolFault(
      'CommandFailed',
      `There are conflicts in ${renderPaths(staged.conflicted)}.`,
      'Solve them in the files and stage these with git_add.',
    )
  }
  if (foreign.length > 0) {
    throw refused(
      `Files outside your service are staged: ${renderPaths(foreign)}.`,
      'scope_outside',
      foreign[0],
    )
  }
  if (closed.length > 0) {
    throw refused(`Closed files are staged: ${renderPaths(closed)}.`, 'scope_blocked', closed[0])
  }
  const { with_secrets, not_searched } = await findBinarySecrets(call, repository, staged.binary)
  const has_secret =
    with_secrets.length > 0 ||
    staged.runs.some((run) => addsSecret(run, call.redactor)) ||
    (await addsSecretOfFile(call, repository, staged))
  if (has_secret) throw carriesSecret()
  return { files: own, not_searched: not_searched.map((path) => path.slice(prefix.length)) }
}

function refused(message: string, violation_type: string, target_path = ''): ToolFault {
  return new ToolFault('SecurityError', message, 'Ask whoever staged them to commit or unstage them.', {
    violation: { violation_type, target_path, command_args: ['git', 'commit'] },
  })
}

/**
 * Whether an added line carries a secret by what stands elsewhere in the file: of a list under `passwords:`, a patch
 * shows the values and often not the line above them.
 */
async function addsSecretOfFile(
  call: GitCall,
  repository: Repository,
  { text, runs }: StagedChanges,
): Promise<boolean> {
  const ids = new Map(text.map(({ path, new_id }) => [path, new_id]))
  const contents = await readBlobs(call, repository, ids.values(), MAX_PATCH_BYTES)
  for (const [path, id] of ids) {
    const content = contents.get(id)
    if (content === undefined) continue
    const [plain, shown] = [content.split('\n'), redactedLines(content, call.redactor)]
    const added = runs.flatMap((run) => (run.path === path ? run.lines.filter((line) => line.is_added) : []))
    if (added.some(({ number }) => plain[number - 1] !== shown[number - 1])) return true
  }
  return false
}

/** Which file or line is not told: of files full of guesses it would name the ones that are right. */
function carriesSecret(): ToolFault {
  return new ToolFault(
    'SecurityError',
    'What is staged carries a secret.',
    'Take the values out of the files, stage them again, and keep secrets in the environment.',
  )
}

/** Whether a secret lies on an added line of a run. */
function addsSecret({ lines }: ChangedRun, redactor: Redactor): boolean {
  const findings = redactor.find(lines.map(({ text }) => text).join('\n'))
  let [start, next] = [0, 0]
  return lines.some(({ text, is_added }) => {
    const end = start + text.length
    while (next < findings.length && (findings[next] as Finding).end <= start) next++
    const finding = findings[next]
    const isHit = is_added && finding !== undefined && finding.start < end
    start = end + 1
    return isHit
  })
}
