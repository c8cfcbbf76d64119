import type { Redactor } from '../../../platform/redaction/redactor.ts'
import { requireSuccess } from './git-outcome.ts'
import { type GitCall, runGit } from './git-run.ts'
import type { Repository } from './repository.ts'

/** Of all binary files of a commit together, before and after it. */
const MAX_BYTES = 16 * 1024 * 1024
const MARK_BYTES = 12
/** Texts within other bytes, also where two bytes stand for a letter; shorter ones are chance. */
const TEXTS = /(?:[\t\x20-\x7e]\0){6,}|[\t\x20-\x7e]{6,}/g
/** Names in programs and tables of numbers are as random as keys are, so only what has a known form counts. */
const BY_CHANCE = 'high_entropy'

/** A staged file of which git shows no lines, and its contents in the repository. */
export interface BinaryChange {
  readonly path: string
  readonly old_id: string
  readonly new_id: string
}

export interface BinaryFindings {
  readonly with_secrets: readonly string[]
  /** Too large to be looked through. */
  readonly not_searched: readonly string[]
}

/** Looks for secrets in what is no text to git; those that a file had before are none of this commit. */
export async function findBinarySecrets(
  call: GitCall,
  repository: Repository,
  changes: readonly BinaryChange[],
): Promise<BinaryFindings> {
  if (changes.length === 0) return { with_secrets: [], not_searched: [] }
  const contents = await readContents(call, repository, changes)
  const secretsIn = (id: string) => secretsOf(contents.get(id) ?? '', call.redactor)
  const hasNew = ({ old_id, new_id }: BinaryChange) => {
    const found = secretsIn(new_id)
    const before = found.length > 0 ? secretsIn(old_id) : []
    return found.some((secret) => !before.includes(secret))
  }
  return {
    with_secrets: changes.filter(hasNew).map(({ path }) => path),
    not_searched: changes.filter(({ new_id }) => !contents.has(new_id)).map(({ path }) => path),
  }
}

/** By id, the smaller ones first; what does not fit, or is not there, is left out. */
async function readContents(
  call: GitCall,
  repository: Repository,
  changes: readonly BinaryChange[],
): Promise<Map<string, string>> {
  const ids = new Set(changes.flatMap(({ old_id, new_id }) => [new_id, old_id]))
  const sizes = await askGit(call, repository, '--batch-check=%(objectname) %(objectsize)', ids)
  const sized = Array.from(sizes.matchAll(/^([0-9a-f]+) (\d+)$/gm), ([, id = '', size]) => ({
    id,
    size: Number(size),
  }))
  const fitting: string[] = []
  let room = MAX_BYTES
  for (const { id, size } of sized.toSorted((a, b) => a.size - b.size)) {
    room -= size
    if (room >= 0) fitting.push(id)
  }
  const mark = call.hub.system.random(MARK_BYTES)
  const text = await askGit(call, repository, `--batch=${mark} %(objectname)`, fitting)
  const parts = text.split(`${mark} `).slice(1)
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)]))
}

/** What git has to say of each of these contents. */
async function askGit(
  call: GitCall,
  repository: Repository,
  question: string,
  ids: Iterable<string>,
): Promise<string> {
  const outcome = await runGit(call, repository, {
    args: ['cat-file', question],
    stdin: Array.from(ids, (id) => `${id}\n`).join(''),
    writes: 'nothing',
    output_bytes: 2 * MAX_BYTES,
  })
  return requireSuccess(outcome, 'git cat-file', 'Commit in smaller parts.').stdout
}

/** One that was binary before may be plain text now, which git does not show either. */
function secretsOf(content: string, redactor: Redactor): string[] {
  const is_binary = content.includes('\0')
  const text = is_binary ? textsIn(content) : content
  const found = redactor.find(text).filter(({ rule }) => !is_binary || rule !== BY_CHANCE)
  return found.map(({ start, end }) => text.slice(start, end))
}

function textsIn(content: string): string {
  return (content.match(TEXTS) ?? []).map((run) => run.replaceAll('\0', '')).join('\n')
}
