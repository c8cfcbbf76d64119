import type { Collector, Json, Page, Source } from '../connector.ts'
import {
  type Change,
  findMember,
  findText,
  pageChanges,
  readIndex,
  type SourceIndex,
  stableKey,
} from '../page-changes.ts'
import { requireRemote } from './git-remote.ts'
import { openScratch } from './git-scratch.ts'
import {
  fetchBranch,
  listCommits,
  listFiles,
  readCommits,
  readFiles,
  requireTip,
  type TreeFile,
  toFile,
} from './read-repository.ts'
import { checkVersion, type GitPlace } from './run-git.ts'

const COMMITS_AT_ONCE = 200
const FILES_AT_ONCE = 100

/**
 * Reads one branch of a repository: its commits, and the texts of its newest one. Each run fetches into a
 * folder of its own, and only if the tip has moved.
 */
export const gitCollector: Collector = {
  async probe(source) {
    await using place = await openPlace(source)
    await requireTip(place)
    const name = (source.settings.repository ?? '').split('/').findLast((part) => part !== '') ?? ''
    return { display_name: name.replace(/\.git$/, '') }
  },
  async *collect(source) {
    await using place = await openPlace(source)
    const done = findText(source.checkpoint, 'commit_id')
    if ((await requireTip(place)) === done) return
    const tip = await fetchBranch(place)
    yield* collectBranch(source, place, tip, done)
  },
}

async function openPlace(source: Source): Promise<GitPlace & AsyncDisposable> {
  const remote = await requireRemote(source)
  const scratch = openScratch(remote)
  const place = { scratch, remote, signal: source.signal }
  try {
    await checkVersion(place)
  } catch (error) {
    scratch[Symbol.dispose]()
    throw error
  }
  return { ...place, [Symbol.asyncDispose]: async () => scratch[Symbol.dispose]() }
}

async function* collectBranch(
  { checkpoint }: Source,
  place: GitPlace,
  tip: string,
  done: string | undefined,
): AsyncGenerator<Page> {
  const commits = await listCommits(place, done)
  const files = await listFiles(place)
  const index = readIndex(findMember(checkpoint, 'index'))
  const fresh = files.filter(({ path, object_id }) => index.get(stableKey(path)) !== object_id)
  const total = commits.length + fresh.length
  const marks = (index_now: Json, read: number): Json => ({
    ...(done !== undefined && { commit_id: done }),
    index: index_now,
    reading: { commit_id: tip, commits: read },
  })
  for (let at = readBefore(checkpoint, tip); at < commits.length; ) {
    const ids = commits.slice(at, at + COMMITS_AT_ONCE)
    const upserts = await readCommits(place, ids)
    at += ids.length
    const bytes = upserts.reduce((sum, { data }) => sum + String(data.text).length, 0)
    yield { stream: 'commits', upserts, bytes, total, checkpoint: marks([...index], at) }
  }
  yield* pageChanges(fileChanges(place, tip, { files, fresh, index }), {
    stream: 'files',
    index,
    total,
    checkpoint: (now, is_done) => (is_done ? { commit_id: tip, index: now } : marks(now, commits.length)),
  })
}

/** How many commits an attempt has kept that was broken off at the same tip. */
function readBefore(checkpoint: Json, tip: string): number {
  const reading = findMember(checkpoint, 'reading') ?? null
  const count = findMember(reading, 'commits')
  return findText(reading, 'commit_id') === tip && typeof count === 'number' ? count : 0
}

async function* fileChanges(
  place: GitPlace,
  tip: string,
  { files, fresh, index }: { files: readonly TreeFile[]; fresh: readonly TreeFile[]; index: SourceIndex },
): AsyncGenerator<Change> {
  const former = new Set(index.keys())
  for (const { path } of files) former.delete(stableKey(path))
  for (const key of former) yield { key, is_removed: true }
  for (let at = 0; at < fresh.length; at += FILES_AT_ONCE) {
    const part = fresh.slice(at, at + FILES_AT_ONCE)
    const contents = await readFiles(place, part)
    for (const [which, file] of part.entries()) {
      const content = contents[which] as Buffer
      const data = content.includes(0) ? undefined : toFile(file, content, tip)
      yield { key: stableKey(file.path), mark: file.object_id, ...(data && { data }) }
    }
  }
}
