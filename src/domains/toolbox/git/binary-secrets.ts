import type { Redactor } from '../../../platform/redaction/redactor.ts'
import type { Repository } from './repository/repository.ts'
import { readBlobs } from './run/blob-contents.ts'
import type { GitCall } from './run/git-run.ts'

/** Of all binary files of a commit together, before and after it. */
const MAX_BYTES = 16 * 1024 * 1024
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
  const ids = changes.flatMap(({ old_id, new_id }) => [new_id, old_id])
  const contents = await readBlobs(call, repository, ids, MAX_BYTES)
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
