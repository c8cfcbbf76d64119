import { readFileSync } from 'node:fs'
import { type CollectedRecord, type JsonObject, SourceFault } from '../connector.ts'
import { isNoteName } from '../note-names.ts'
import { MAX_INDEXED } from '../page-changes.ts'
import { cutLine, cutText } from '../source-text.ts'
import { type GitPlace, runGit, tryGit } from './run-git.ts'

/** Where the fetched branch lies in the scratch repository. */
const TIP = 'refs/heads/source'
const OBJECT_ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/
/** Of a longer history the newest are read. */
const MAX_COMMITS = 100_000
const MAX_PARENTS = 64
const MAX_FILE_BYTES = 262_144
const COMMIT_FIELDS = ['%H', '%P', '%an', '%ae', '%aI', '%cI', '%B']

/** A text file of the newest commit. */
export interface TreeFile {
  readonly path: string
  readonly object_id: string
  readonly size_bytes: number
}

/** The commit at the tip of the branch, asked for without fetching anything. */
export async function requireTip(place: GitPlace): Promise<string> {
  const { address, ref } = place.remote
  const listed = await runGit(place, { args: ['ls-remote', '--quiet', '--', address, ref], is_remote: true })
  const line = listed.split('\n').find((text) => text.endsWith(`\t${ref}`))
  const id = line?.split('\t')[0] ?? ''
  if (!OBJECT_ID.test(id))
    throw new SourceFault('not_found', 'The repository has no such branch, or is empty.')
  return id
}

/** Fetches the branch into the scratch repository; answers its tip. */
export async function fetchBranch(place: GitPlace): Promise<string> {
  const { address, ref } = place.remote
  await runGit(place, { args: ['init', '--quiet', '--bare', '--template='] })
  const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--recurse-submodules=no', '--no-auto-gc']
  await runGit(place, { args: ['fetch', ...options, '--', address, `+${ref}:${TIP}`], is_remote: true })
  return (await runGit(place, { args: ['rev-parse', '--verify', `${TIP}^{commit}`] })).trim()
}

/** The commits up to the tip, oldest first, without those that lead to an earlier one. */
export async function listCommits(place: GitPlace, after: string | undefined): Promise<string[]> {
  const isKnown = after !== undefined && OBJECT_ID.test(after) && (await hasCommit(place, after))
  const args = ['rev-list', '--topo-order', '--reverse', `--max-count=${MAX_COMMITS}`, TIP]
  const listed = await runGit(place, { args: isKnown ? [...args, `^${after}`, '--'] : [...args, '--'] })
  return listed.split('\n').filter((id) => id !== '')
}

/** After a history was rewritten, a commit may be there no more. */
async function hasCommit(place: GitPlace, id: string): Promise<boolean> {
  return (await tryGit(place, { args: ['cat-file', '-e', `${id}^{commit}`] })).exit_code === 0
}

/** Reads commits by their ids. */
export async function readCommits(place: GitPlace, ids: readonly string[]): Promise<CollectedRecord[]> {
  const format = `--format=tformat:${COMMIT_FIELDS.join('%x00')}`
  const options = ['--no-walk=unsorted', '--no-notes', '--no-decorate', '--no-show-signature', '--no-color']
  const args = ['log', '-z', '--encoding=UTF-8', ...options, format, '--stdin']
  const parts = (await runGit(place, { args, stdin: `${ids.join('\n')}\n` })).split('\0')
  return ids.map((_, place_in_list) => {
    const from = place_in_list * COMMIT_FIELDS.length
    return toCommit(parts.slice(from, from + COMMIT_FIELDS.length))
  })
}

function toCommit([
  id = '',
  parents = '',
  name = '',
  email = '',
  authored = '',
  committed = '',
  message = '',
]: string[]) {
  if (!OBJECT_ID.test(id)) throw new SourceFault('bad_answer', 'A commit of the repository cannot be read.')
  const { text, is_cut } = cutText(message.trimEnd())
  const data: JsonObject = {
    commit_id: id,
    parents: parents.split(' ').filter(Boolean).slice(0, MAX_PARENTS),
    author: { name: cutLine(name, 200), address: cutLine(email, 320) },
    authored_at: cutLine(authored, 40),
    committed_at: cutLine(committed, 40),
    title: cutLine(message.split('\n', 1)[0] ?? '', 300),
    text,
    is_cut,
  }
  return { key: id, data }
}

/** The text files of the tip. Links, other repositories and large files are left out. */
export async function listFiles(place: GitPlace): Promise<TreeFile[]> {
  const listed = await runGit(place, { args: ['ls-tree', '-r', '-z', '-l', '--full-tree', TIP] })
  const files = listed.split('\0').flatMap((line) => {
    const [, object_id = '', size = '', path = ''] =
      /^100(?:644|755) blob ([0-9a-f]{40,64}) +(\d{1,15})\t([\s\S]{1,4096})$/.exec(line) ?? []
    const isWanted = isNoteName(path) && Number(size) <= MAX_FILE_BYTES
    return isWanted ? [{ path, object_id, size_bytes: Number(size) }] : []
  })
  if (files.length > MAX_INDEXED) {
    throw new SourceFault('too_large', `The repository has more than ${MAX_INDEXED} text files.`)
  }
  return files
}

/** Reads the contents of files, in their order. */
export async function readFiles(place: GitPlace, files: readonly TreeFile[]): Promise<Buffer[]> {
  const stdin = files.map(({ object_id }) => `${object_id}\n`).join('')
  await runGit(place, { args: ['cat-file', '--batch'], stdin, to_file: true })
  const output = readFileSync(place.scratch.output)
  let at = 0
  return files.map(({ size_bytes }) => {
    const start = output.indexOf('\n', at) + 1
    at = start + size_bytes + 1
    return output.subarray(start, start + size_bytes)
  })
}

/** A file as it is kept. */
export function toFile({ path, size_bytes }: TreeFile, content: Buffer, commit_id: string): JsonObject {
  const { text, is_cut } = cutText(content.toString('utf8'))
  return { path: path.toWellFormed(), text, is_cut, size_bytes, commit_id }
}
