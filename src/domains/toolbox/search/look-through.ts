import { toSearchableBytes } from '../../../platform/patterns/searchable-bytes.ts'
import type { Redactor } from '../../../platform/redaction/redactor.ts'
import { veilSecrets } from '../../../platform/redaction/veil.ts'
import { type ShownText, showVeiled } from './shown-text.ts'

/** Offsets of all matches in a text, in bytes; start and end in turn. */
export type FindAll = (pattern: string, text: Uint8Array) => readonly number[]

export interface Sought {
  readonly pattern: string
  /** Finds something wherever the pattern may; nothing where no such pattern is known. */
  readonly sieve: string | undefined
  readonly redactor: Redactor
}

export interface FoundInText {
  readonly text: ShownText
  readonly offsets: readonly number[]
}

/**
 * Finds a pattern in what the caller may see of a text. The rule is that matches are those in the veiled text,
 * which the secrets have been taken out of: no pattern matches a veil or reaches over one, so every answer is worked
 * out without the hidden characters. Most texts need no redactor: each match in the veiled text is made of
 * characters that the text itself has side by side, so where not even the sieve finds anything in the text as it
 * is, there can be no match, whatever is hidden there.
 */
export function lookThrough(findAll: FindAll, sought: Sought, text: Buffer): FoundInText | undefined {
  const { pattern, sieve, redactor } = sought
  const raw = sieve === undefined ? undefined : findAll(sieve, text)
  if (raw?.length === 0) return undefined
  const veiled = veilSecrets(redactor, text.toString('utf8'))
  if (veiled.pieces.length === 0) {
    const offsets = raw && sieve === pattern ? raw : findAll(pattern, text)
    return offsets.length === 0 ? undefined : { text: { bytes: text, marks: [] }, offsets }
  }
  const found = findAll(pattern, toSearchableBytes(veiled.text))
  if (found.length === 0) return undefined
  const { shown, offsets } = showVeiled(veiled, found)
  return { text: shown, offsets }
}
