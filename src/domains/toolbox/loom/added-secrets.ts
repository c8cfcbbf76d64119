import type { Finding } from '../../../platform/redaction/finding.ts'
import type { Redactor } from '../../../platform/redaction/redactor.ts'
import { ToolFault } from '../tool-fault.ts'
import type { Span } from './edit.ts'

/**
 * Refuses a text with a secret in it, but for what was hidden before and stays where it is. The whole text is
 * judged, not what was put in: harmless edits can make a secret together, also by taking out what parted it. Kept
 * secrets are known by their places: by their words, an agent could try which ones a file has.
 */
export function checkAddedSecrets(redactor: Redactor, text: string, kept: readonly Span[] = []): void {
  const found = redactor.find(text)
  if (found.length === 0) return
  const added = withoutKept(text, found, kept)
  if (added.length === 0) return
  // Neither the place nor the kind is told: of a list of guesses they would name the ones that are right.
  throw new ToolFault(
    'SecurityError',
    'The content holds what looks like a secret. Nothing was written.',
    'Keep secrets out of files: read them from the environment, or write a placeholder such as <your-token>.',
  )
}

/** Both are in the order of the text. A finding of several lines has their ends between what is kept of it. */
function withoutKept(text: string, found: readonly Finding[], kept: readonly Span[]): Finding[] {
  let next = 0
  return found.filter(({ start, end }) => {
    let at = start
    for (; next < kept.length && (kept[next] as Span).start < end; next += 1) {
      const piece = kept[next] as Span
      if (piece.end > at && !isBlank(text, at, piece.start)) return true
      at = Math.max(at, piece.end)
      if (at >= end) return false
    }
    return !isBlank(text, at, end)
  })
}

function isBlank(text: string, start: number, end: number): boolean {
  return start >= end || text.slice(start, end).trim() === ''
}
