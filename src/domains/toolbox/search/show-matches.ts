import { renderMark } from '../../../platform/redaction/mark.ts'
import type { Redactor } from '../../../platform/redaction/redactor.ts'
import type { LocatedMatch, Passage, SearchedFile } from './search-job.ts'
import { ANSWER_MAX_BYTES, MATCH_LIMIT } from './search-limits.ts'

export interface ShownMatch {
  file: string
  line: number
  column: number
  content: string
}

const CUT = '…'

/** The matches as an agent sees them, as many as fit into an answer. */
export function showMatches(redactor: Redactor, files: readonly SearchedFile[]): ShownMatch[] {
  const shown: ShownMatch[] = []
  let bytes = 0
  for (const { path, passages } of files)
    for (const match of passages.flatMap((passage) => showPassage(redactor, path, passage))) {
      bytes += Buffer.byteLength(match.file) + Buffer.byteLength(match.content)
      if (shown.length >= MATCH_LIMIT || bytes > ANSWER_MAX_BYTES) return shown
      shown.push(match)
    }
  return shown
}

/** A secret is looked for in the whole passage: cut to its line or to a part of that it may look like none. */
function showPassage(redactor: Redactor, file: string, { text, matches }: Passage): ShownMatch[] {
  const secrets = redactor.find(text)
  return matches.map((match) => ({
    file,
    line: match.line,
    column: match.column,
    content: renderSnippet(text, match, secrets),
  }))
}

function renderSnippet(text: string, match: LocatedMatch, secrets: ReturnType<Redactor['find']>): string {
  let content = match.is_cut_before ? CUT : ''
  let at = match.from
  for (const { rule, start, end } of secrets) {
    if (end <= at || start >= match.to) continue
    content += text.slice(at, Math.max(at, start)) + renderMark(rule)
    at = Math.min(end, match.to)
  }
  return content + text.slice(at, match.to) + (match.is_cut_after ? CUT : '')
}
