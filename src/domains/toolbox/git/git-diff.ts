import { z } from 'zod'
import { FileFault, GuardDenied } from '../../../platform/guard/guard.ts'
import type { TreeEntry } from '../../../platform/guard/tree/service-tree.ts'
import type { ToolDeclaration } from '../tool.ts'
import { closedPaths } from './closed-paths.ts'
import { parseRawDiff } from './raw-diff.ts'
import { type ChangedFile, redactPatch } from './redact-patch.ts'
import { type Repository, SOURCE_ROLES } from './repository/repository.ts'
import { useRepository } from './repository/use-repository.ts'
import { readBlobs } from './run/blob-contents.ts'
import { SAFE_DIFF } from './run/git-environment.ts'
import { requireOutput, requireSuccess } from './run/git-outcome.ts'
import { type GitCall, runGit } from './run/git-run.ts'
import { readOwn } from './tree/held-place.ts'
import { MAX_LIST_BYTES, readIndex } from './tree/index-entries.ts'
import { foldersOf, withLentTree } from './tree/lent-tree.ts'
import { lendRules } from './tree/tree-rules.ts'
import { compareWorkTree, MAX_FILE_BYTES } from './tree/work-tree.ts'

const MAX_FILES = 1_000
/** Of all names together, as they are arguments of one command. */
const MAX_NAME_BYTES = 64 * 1024
/** Of all files together whose patch is shown: each is looked through as a whole for what must not be. */
const MAX_CONTENT_BYTES = 16 * 1024 * 1024
/** What git shows of a heading at most. */
const HEADING_BYTES = 80
const HEADING = /(?<=^|\n)(@@+ [-+,0-9 ]+ @@+) ([^\n]*)/g
const DIFF = [...SAFE_DIFF, '--ignore-submodules=all', '--relative']

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
    const { staged } = call.input
    return useRepository(call, 'git_diff', async (repository) => {
      const changed = await (staged ? findStaged(call, repository) : findUnstaged(call, repository))
      return showPatch(call, repository, changed, staged)
    })
  },
}

/** A changed file and where its contents are to be had. */
interface Changed {
  readonly path: string
  /** In the repository: one, or ours and theirs in a conflict. */
  readonly before_ids: readonly string[]
  /** In the repository, or what stands in the service. */
  readonly after: { readonly id: string } | { readonly entry: TreeEntry | undefined }
}

interface AllChanged {
  readonly files: readonly Changed[]
  readonly hidden: number
}

async function findStaged(call: GitCall, repository: Repository): Promise<AllChanged> {
  const outcome = await runGit(call, repository, {
    args: [...DIFF, '--cached', '--raw', '--no-abbrev', '-z', '--no-renames', '--', '.'],
    writes: 'nothing',
    may_go_without: true,
    output_bytes: MAX_LIST_BYTES,
  })
  const { stdout } = requireSuccess(outcome, 'git diff', 'Too much is changed to be shown; use git_status.')
  const { changes } = parseRawDiff(stdout)
  const isClosed = closedPaths(call.policy)
  const closed = changes.filter(({ path }) => isClosed(path))
  // A path stands for everything below it: where a file became a folder, that could be a closed file.
  const above = new Set(closed.flatMap(({ path }) => foldersOf(path)))
  const open = changes.filter((change) => !closed.includes(change) && !above.has(change.path))
  const readable = open.filter(({ path }) => isReadable(call, path))
  return {
    hidden: closed.length + open.length - readable.length,
    files: readable.map(({ path, old_id, new_id }) => ({
      path,
      before_ids: [old_id],
      after: { id: new_id },
    })),
  }
}

async function findUnstaged(call: GitCall, repository: Repository): Promise<AllChanged> {
  const index = readIndex(repository)
  const { entries } = index
  const { changed, hidden } = await compareWorkTree(call, repository, index)
  const isClosed = closedPaths(call.policy)
  const conflicted = entries.filter(({ stage, path }) => stage > 0 && !isClosed(path))
  const paths = new Set([...changed.keys(), ...conflicted.map(({ path }) => path)])
  const ids = new Map<string, string[]>()
  for (const { path, stage, id } of entries)
    if (paths.has(path) && stage !== 1) ids.set(path, [...(ids.get(path) ?? []), id])
  const all = [...paths].toSorted().map((path) => readChanged(call, path, ids.get(path) ?? []))
  const files = all.filter((file) => file !== undefined)
  return { files, hidden: hidden.size + all.length - files.length }
}

/** Undefined where the guard would not let the file be read; a deleted one has nothing left to protect. */
function readChanged(call: GitCall, path: string, before_ids: readonly string[]): Changed | undefined {
  if (!isReadable(call, path)) return undefined
  try {
    const entry = call.guard.inTree((tree) => readOwn(tree, path, MAX_FILE_BYTES))
    return { path, before_ids, after: { entry } }
  } catch (error) {
    if (error instanceof FileFault) return { path, before_ids, after: { entry: undefined } }
    if (error instanceof GuardDenied) return undefined
    throw error
  }
}

/** Whether a link, if it is one, leads to something that may be read. */
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

async function showPatch(
  call: GitCall,
  repository: Repository,
  { files, hidden }: AllChanged,
  staged: boolean,
): Promise<z.output<typeof Output>> {
  const shown = withinLimits(files)
  const paths = shown.map(({ path }) => path)
  if (shown.length === 0) return { stdout: '', stderr: '', files: [], hidden, truncated: files.length > 0 }
  const outcome = await withLentTree(call, repository, (lent) => {
    call.guard.inTree((tree) => lendRules(repository, tree, lent, paths))
    for (const { path, after } of shown)
      if ('entry' in after && after.entry) lent.put(repository.prefix + path, after.entry)
    return runGit(call, repository, {
      args: [...DIFF, ...(staged ? ['--cached'] : []), '--', ...paths],
      writes: 'nothing',
      lent,
      may_go_without: true,
    })
  })
  const { text, is_cut } = requireOutput(outcome, 'git diff')
  const contents = await readContents(call, repository, shown)
  // In the patch of a conflict git counts paths from the work tree, whatever it is told.
  const { prefix } = repository
  const findFile = (path: string) =>
    contents.get(path) ?? (path.startsWith(prefix) ? contents.get(path.slice(prefix.length)) : undefined)
  const patch = redactPatch(withoutCutHeadings(text), findFile, call.redactor)
  const is_whole = contents.size === shown.length && hunksIn(patch) === hunksIn(text)
  const truncated = is_cut || shown.length < files.length || !is_whole
  return { stdout: patch, stderr: outcome.stderr, files: paths, hidden, truncated }
}

/** Every line of a file has a sign before it. */
function hunksIn(patch: string): number {
  return patch.match(/^@@/gm)?.length ?? 0
}

/** What the files were and are, as far as there is room for it. */
async function readContents(
  call: GitCall,
  repository: Repository,
  files: readonly Changed[],
): Promise<Map<string, ChangedFile>> {
  const ids = files.flatMap(({ before_ids, after }) =>
    'id' in after ? [...before_ids, after.id] : before_ids,
  )
  const blobs = await readBlobs(call, repository, ids, MAX_CONTENT_BYTES)
  let room = MAX_CONTENT_BYTES
  const known = new Map<string, ChangedFile>()
  for (const { path, before_ids, after } of files) {
    const isMissing = (id: string) => !blobs.has(id) && !/^0+$/.test(id)
    const text = 'id' in after ? blobs.get(after.id) : textOf(after.entry)
    room -= text?.length ?? 0
    if (room < 0 || before_ids.some(isMissing) || ('id' in after && isMissing(after.id))) continue
    known.set(path, { before: before_ids.map((id) => blobs.get(id)), after: text })
  }
  return known
}

function textOf(entry: TreeEntry | undefined): string | undefined {
  return entry?.kind === 'file' ? decodeText(entry.bytes) : entry?.target
}

/** As git shows it: what begins with the mark of UTF-16 may be named so in `.gitattributes`. */
function decodeText(bytes: Buffer): string {
  const mark = bytes.length % 2 === 0 ? bytes.toString('hex', 0, 2) : ''
  if (mark === 'fffe') return bytes.toString('utf16le', 2)
  if (mark === 'feff') return Buffer.from(bytes).swap16().toString('utf16le', 2)
  return bytes.toString('utf8')
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

function withinLimits(files: readonly Changed[]): Changed[] {
  let room = MAX_NAME_BYTES
  return files.slice(0, MAX_FILES).filter(({ path }) => {
    room -= Buffer.byteLength(path) + 1
    return room >= 0
  })
}
