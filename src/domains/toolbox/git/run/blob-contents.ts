import type { Repository } from '../repository/repository.ts'
import { requireSuccess } from './git-outcome.ts'
import { type GitCall, runGit } from './git-run.ts'

const MARK_BYTES = 12
const NO_BLOB = /^0+$/

/** Reads contents out of the repository, the smaller ones first; what does not fit, or is not there, is left out. */
export async function readBlobs(
  call: GitCall,
  repository: Repository,
  wanted: Iterable<string>,
  max_bytes: number,
): Promise<Map<string, string>> {
  const ids = new Set([...wanted].filter((id) => !NO_BLOB.test(id)))
  if (ids.size === 0) return new Map()
  const sizes = await askGit(call, repository, '--batch-check=%(objectname) %(objectsize)', ids, max_bytes)
  const sized = Array.from(sizes.matchAll(/^([0-9a-f]+) (\d+)$/gm), ([, id = '', size]) => ({
    id,
    size: Number(size),
  }))
  const fitting: string[] = []
  let room = max_bytes
  for (const { id, size } of sized.toSorted((a, b) => a.size - b.size)) {
    room -= size
    if (room >= 0) fitting.push(id)
  }
  const mark = call.hub.system.random(MARK_BYTES)
  const text = await askGit(call, repository, `--batch=${mark} %(objectname)`, fitting, max_bytes)
  const parts = text.split(`${mark} `).slice(1)
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), contentOf(part)]))
}

/** Behind its name, and before the line end that git adds. */
function contentOf(part: string): string {
  return part.slice(part.indexOf('\n') + 1, -1)
}

/** What git has to say of each of these contents. */
async function askGit(
  call: GitCall,
  repository: Repository,
  question: string,
  ids: Iterable<string>,
  max_bytes: number,
): Promise<string> {
  const outcome = await runGit(call, repository, {
    args: ['cat-file', question],
    stdin: Array.from(ids, (id) => `${id}\n`).join(''),
    writes: 'nothing',
    may_go_without: true,
    output_bytes: 2 * max_bytes,
  })
  return requireSuccess(outcome, 'git cat-file', 'Take less at once.').stdout
}
