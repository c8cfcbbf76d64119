import type { Redactor } from '../../../platform/redaction/redactor.ts'
import { ToolFault } from '../tool-fault.ts'
import { linesOf } from './lines.ts'

const NAMED_MAX = 5

/**
 * Refuses a text that has a secret in it which the text before did not have. The whole texts are compared, not
 * what was put in: two harmless edits can make a secret together, and what a file had before hinders no edit.
 */
export function checkAddedSecrets(redactor: Redactor, before: string, after: string): void {
  const found = redactor.find(after)
  if (found.length === 0) return
  const known = new Set(redactor.find(before).map(({ start, end }) => before.slice(start, end)))
  const added = found.filter(({ start, end }) => !known.has(after.slice(start, end)))
  if (added.length === 0) return
  const lines = linesOf(after)
  const named = added.slice(0, NAMED_MAX).map(({ rule, start }) => `${rule} in line ${lines.numberAt(start)}`)
  throw new ToolFault(
    'SecurityError',
    `The content holds what looks like a secret: ${named.join(', ')}. Nothing was written.`,
    'Keep secrets out of files: read them from the environment, or write a placeholder such as <your-token>.',
  )
}
