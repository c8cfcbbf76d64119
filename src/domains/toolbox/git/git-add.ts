import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { FileFault } from '../../../platform/guard/guard.ts'
import type { TreeEntry } from '../../../platform/guard/tree/service-tree.ts'
import type { CommandOutcome } from '../../../platform/sandbox/sandbox.ts'
import { withMeant } from '../files/missing-file.ts'
import type { ToolDeclaration } from '../tool.ts'
import { ToolFault } from '../tool-fault.ts'
import { renderPaths } from './closed-paths.ts'
import { openRepository, type Repository, SOURCE_ROLES } from './repository/repository.ts'
import { withRepositoryLock } from './repository/repository-lock.ts'
import { useRepository } from './repository/use-repository.ts'
import { requireSuccess } from './run/git-outcome.ts'
import { type GitCall, type GitOptions, runGit, runGitSteps } from './run/git-run.ts'
import { readOwn } from './tree/held-place.ts'
import { type LentTree, withLentTree } from './tree/lent-tree.ts'
import { refuseRepositories } from './tree/refuse-repositories.ts'
import { lendRules } from './tree/tree-rules.ts'
import { MAX_FILE_BYTES } from './tree/work-tree.ts'

const MAX_FILES = 500
const MAX_PATH_CHARS = 4_096
const OUTPUT_BYTES = 4 * 1024 * 1024
/** Of all files of a call together. */
const MAX_BYTES = 256 * 1024 * 1024
const ADD = ['add', '--verbose', '--pathspec-from-file=-', '--pathspec-file-nul'] as const
/** What `.gitattributes` may turn a file into something else by. */
const ATTRIBUTES = ['filter', 'working-tree-encoding'] as const
const NOT_SET = /^un(?:specified|set)$/
/** In these a letter, digit or sign of ASCII is itself. */
const LIKE_ASCII =
  /^(?:utf-?8|us-ascii|ascii|iso-?8859-\d{1,2}|latin-?\d{1,2}|(?:windows-|cp)125\d|koi8-[ru]|gbk|gb2312|gb18030|big5|shift[_-]?jis|sjis|euc-(?:jp|kr|cn|tw))$/i
/** A file says itself that it is written so: by its first bytes. */
const MARKED: Readonly<Record<string, RegExp>> = { fffe: /^utf-?16(?:le-bom)?$/i, feff: /^utf-?16$/i }
const SUGGESTION = 'Name files of your service, as git_status shows them; nothing was staged.'

const FOLDER_SUGGESTION =
  'Name each file in it, as list_files with recursive shows them (git_status names a new folder only as a whole); ' +
  'nothing was staged.'

const Input = z.strictObject({
  files: z
    .array(z.string().min(1).max(MAX_PATH_CHARS))
    .min(1)
    .max(MAX_FILES)
    .describe('Files of your service, relative to it; a deleted file is staged as deleted'),
})
const Output = z.strictObject({
  stdout: z.string(),
  stderr: z.string(),
  added: z.array(z.string()),
  removed: z.array(z.string()),
  unchanged: z.array(z.string()).describe('Listed, but the same as what was already staged or committed'),
})

/** Stages files of the service. */
export const gitAdd: ToolDeclaration<typeof Input, z.output<typeof Output>> = {
  name: 'git_add',
  description:
    'Stages exactly the listed files for git_commit. Every path is checked first and one bad path stages ' +
    'none: no folders, no patterns, no options, nothing outside your service, in closed zones (.env, ' +
    'secrets/, node_modules/) or ignored by git. A file whose name begins with - or : is written ./-name.',
  effect: 'update',
  idempotent: true,
  roles: SOURCE_ROLES,
  input: Input,
  output: Output,
  check(call) {
    openRepository(call, 'git_add')
    for (const file of call.input.files) checkFile(call, file)
  },
  handle(call) {
    const files = [...new Set(call.input.files.map((file) => checkFile(call, file).path))]
    return useRepository(call, 'git_add', (repository) =>
      withRepositoryLock(repository.git_dir, () =>
        withLentTree(call, repository, (lent) => stage(call, repository, files, lent)),
      ),
    )
  },
}

/** Lets through one file that may be written in the service; gives its real place, a link at the end kept. */
function checkFile(call: GitCall, file: string): { path: string } {
  try {
    return locateFile(call, file)
  } catch (error) {
    if (!(error instanceof FileFault) || error.code !== 'IsADirectory') throw error
    throw new ToolFault('IsADirectory', error.message, FOLDER_SUGGESTION, { cause: error })
  }
}

function locateFile({ guard }: GitCall, file: string): { path: string } {
  if (/^[-:]/.test(file)) {
    throw new ToolFault(
      'ValidationError',
      `${JSON.stringify(file)} looks like an option or a pattern.`,
      `If a file has this name, write ${JSON.stringify(`./${file}`)}; nothing was staged.`,
    )
  }
  if (/(?:^|\/)\.{0,2}$/.test(file))
    throw new FileFault('IsADirectory', file, `${file}: is a folder, not a file`)
  guard.check(file, 'write')
  return { path: join(guard.locate(dirname(file)).path, basename(file)) }
}

async function stage(
  call: GitCall,
  repository: Repository,
  files: readonly string[],
  lent: LentTree,
): Promise<z.output<typeof Output>> {
  await refuseRepositories(call, repository, files)
  lendFiles(call, repository, files, lent)
  const options = {
    lent,
    stdin: files.map((path) => `${path}\0`).join(''),
    output_bytes: OUTPUT_BYTES,
  }
  await checkTrial(call, repository, files, { ...options, writes: 'git_folder' })
  const outcome = await runGit(call, repository, { ...options, args: ADD, writes: 'git_folder' })
  checkAdded(call, outcome)
  const { added, removed } = parseActs(outcome, repository)
  const unchanged = files.filter((path) => !added.includes(path) && !removed.includes(path))
  return { stdout: outcome.stdout, stderr: outcome.stderr, added, removed, unchanged }
}

/** Copies the files for git to read: what is staged is what the guard has read, however the service changes. */
function lendFiles(call: GitCall, repository: Repository, files: readonly string[], lent: LentTree): void {
  let room = MAX_BYTES
  call.guard.inTree((tree) => {
    lendRules(repository, tree, lent, files)
    for (const path of files) {
      const entry = readOwn(tree, path, Math.min(room, MAX_FILE_BYTES))
      if (entry === undefined) continue
      room -= entry.kind === 'file' ? entry.bytes.length : 0
      lent.put(repository.prefix + path, entry)
    }
  })
}

/** Refuses, before anything is staged, what would stage more than was asked for, or is filtered. */
async function checkTrial(
  call: GitCall,
  repository: Repository,
  files: readonly string[],
  options: GitOptions,
): Promise<void> {
  const [attributes, trial] = await runGitSteps(
    call,
    repository,
    [
      ['check-attr', '-z', '--stdin', ...ATTRIBUTES],
      [...ADD, '--dry-run'],
    ],
    options,
  )
  checkAttributes(files, attributes, (path) => options.lent?.read(repository.prefix + path))
  checkAdded(call, trial)
  const { added, removed } = parseActs(trial, repository)
  const extra = [...added, ...removed].filter((path) => !files.includes(path))
  if (extra.length === 0) return
  throw new ToolFault(
    'ValidationError',
    `More than the listed files would change: ${renderPaths(extra)}.`,
    SUGGESTION,
  )
}

function checkAdded(call: GitCall, outcome: CommandOutcome): void {
  const missing = /pathspec '(.*)' did not match any files/.exec(outcome.stderr)?.[1]
  if (missing !== undefined) {
    const message = `${missing}: there is no such file, so nothing was staged`
    throw withMeant(call, new FileFault('FileNotFound', missing, message))
  }
  requireSuccess(outcome, 'git add', SUGGESTION)
}

/**
 * Refuses files that a filter such as Git LFS turns into something else, for filters are not run here, and files that
 * would be staged in a code: their secrets would be known for none in it, and who writes `.gitattributes` chooses it.
 */
function checkAttributes(
  files: readonly string[],
  outcome: CommandOutcome,
  read: (path: string) => TreeEntry | undefined,
): void {
  const fields = requireSuccess(outcome, 'git check-attr', SUGGESTION).stdout.split('\0')
  const valueOf = (file: number, attribute: number) =>
    fields[(file * ATTRIBUTES.length + attribute) * 3 + 2] ?? ''
  const filtered = files.filter((_, file) => !NOT_SET.test(valueOf(file, 0)))
  if (filtered.length > 0)
    throw turnedInto(filtered, 'through a filter such as Git LFS, and filters are not run here')
  const encoded = files.filter((path, file) => !isPlainEncoding(valueOf(file, 1), read(path)))
  if (encoded.length > 0) throw turnedInto(encoded, 'through an encoding that their content does not show')
}

function isPlainEncoding(name: string, entry: TreeEntry | undefined): boolean {
  if (NOT_SET.test(name) || LIKE_ASCII.test(name) || entry?.kind !== 'file') return true
  return MARKED[entry.bytes.toString('hex', 0, 2)]?.test(name) === true
}

function turnedInto(files: readonly string[], how: string): ToolFault {
  return new ToolFault(
    'NotSupported',
    `.gitattributes sends ${renderPaths(files)} ${how}.`,
    'Leave such files to the owner; nothing was staged.',
  )
}

/** Reads `add 'path'` and `remove 'path'`; a path that is not in the service keeps its dots in front. */
function parseActs({ stdout }: { stdout: string }, { prefix }: Repository) {
  const paths = (act: string) =>
    stdout.split('\n').flatMap((line) => {
      const path =
        line.startsWith(`${act} '`) && line.endsWith("'") ? line.slice(act.length + 2, -1) : undefined
      if (path === undefined) return []
      return path.startsWith(prefix) ? path.slice(prefix.length) : `../${path}`
    })
  return { added: paths('add'), removed: paths('remove') }
}
