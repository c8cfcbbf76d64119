import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from '../../../platform/redaction/finding.ts'
import type { Redactor } from '../../../platform/redaction/redactor.ts'
import { ToolFault } from '../tool-fault.ts'
import { type ChangedRun, parseAddedLines } from './added-lines.ts'
import { type BinaryChange, findBinarySecrets } from './binary-secrets.ts'
import { renderPaths, sortPaths } from './closed-paths.ts'
import { SAFE_DIFF } from './git-environment.ts'
import { requireSuccess } from './git-outcome.ts'
import { type GitCall, runGit } from './git-run.ts'
import type { Repository } from './repository.ts'

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
const SHOWN_SECRETS = 10
const RAW = /:[0-7]{6} ([0-7]{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*\0([^\0]+)\0/y
/** A commit of another repository, which has no content here. */
const SUBMODULE = '160000'

/** What the next commit would record. */
export interface StagedChanges {
  /** Relative to the work tree. */
  readonly paths: readonly string[]
  readonly conflicted: readonly string[]
  readonly runs: readonly ChangedRun[]
  /** Files with another content of which no lines are shown. */
  readonly binary: readonly BinaryChange[]
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
  const found: (BinaryChange & { mode: string; status: string })[] = []
  let patch_at = 0
  RAW.lastIndex = 0
  for (let record = RAW.exec(text); record !== null; record = RAW.exec(text)) {
    const [, mode = '', old_id = '', new_id = '', status = '', path = ''] = record
    found.push({ mode, old_id, new_id, status, path })
    patch_at = RAW.lastIndex
  }
  const runs = parseAddedLines(text.slice(patch_at).replace(/^\0/, ''))
  const shown = new Set(runs.map(({ path }) => path))
  return {
    paths: found.map(({ path }) => path),
    conflicted: found.flatMap(({ status, path }) => (status === 'U' ? [path] : [])),
    runs,
    binary: found.flatMap(({ mode, old_id, new_id, status, path }) =>
      /[DU]/.test(status) || mode === SUBMODULE || old_id === new_id || shown.has(path)
        ? []
        : [{ path, old_id, new_id }],
    ),
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
  checkSecrets([...placesOf(staged.runs, call.redactor), ...with_secrets], prefix)
  return { files: own, not_searched: not_searched.map((path) => path.slice(prefix.length)) }
}

function refused(message: string, violation_type: string, target_path = ''): ToolFault {
  return new ToolFault('SecurityError', message, 'Ask whoever staged them to commit or unstage them.', {
    violation: { violation_type, target_path, command_args: ['git', 'commit'] },
  })
}

function placesOf(runs: readonly ChangedRun[], redactor: Redactor): string[] {
  return runs.flatMap((run) => secretLines(run, redactor).map((line) => `${run.path}:${line}`))
}

function checkSecrets(found: readonly string[], prefix: string): void {
  if (found.length === 0) return
  const places = [...new Set(found)].map((place) => place.slice(prefix.length))
  const shown = places.slice(0, SHOWN_SECRETS).join(', ')
  throw new ToolFault(
    'SecurityError',
    `What is staged carries ${places.length === 1 ? 'a secret' : 'secrets'}: ${shown}.`,
    'Take the values out of there, stage the files again, and keep secrets in the environment.',
  )
}

/** The added lines of a run that a secret lies on. */
function secretLines({ lines }: ChangedRun, redactor: Redactor): number[] {
  const findings = redactor.find(lines.map(({ text }) => text).join('\n'))
  const hit: number[] = []
  let [start, next] = [0, 0]
  for (const { number, text, is_added } of lines) {
    const end = start + text.length
    while (next < findings.length && (findings[next] as Finding).end <= start) next++
    const finding = findings[next]
    if (is_added && finding !== undefined && finding.start < end) hit.push(number)
    start = end + 1
  }
  return hit
}
