import { toSearchableBytes } from '../../../platform/patterns/engine-text.ts'
import type { Redactor } from '../../../platform/redaction/redactor.ts'
import { fillVeils, type VeiledText, veilSecrets } from '../../../platform/redaction/veil.ts'

/** Offsets of all matches in a text, in bytes; start and end in turn. */
export type FindAll = (pattern: string, text: Uint8Array) => readonly number[]

export interface Sought {
  readonly pattern: string
  /** Finds something wherever the pattern may; undefined where no such pattern is known. */
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

/** A word boundary, plain or of one side; other escapes are taken whole, so that a `\\` before a `b` is none. */
const ESCAPE = /\\(?:[bB](?:\{(?:start|end)(?:-half)?\})?|[^])/g

/**
 * A pattern that finds something in every text in which the given one finds something beside the secrets. Whether
 * characters are a match depends on themselves and, at both ends, by word boundaries, on one more, which may be part
 * of a secret; so these are left out. (Line anchors ask for the ends of lines, which are never hidden.) Nothing else
 * may change: an alternative less would let the text as it is, secrets included, decide on what is found.
 */
export function sieveOf(pattern: string): string {
  return pattern.replaceAll(ESCAPE, (escape) => (/^\\[bB]/.test(escape) ? '()' : escape))
}

/** A text as an agent gets to see it. Offsets are in bytes. */
export interface ShownText {
  readonly bytes: Buffer
  /** Where marks stand for secrets. */
  readonly marks: readonly { readonly start: number; readonly end: number }[]
}

/** The text that read_file shows, and where offsets of the veiled text are in it; those must rise. */
export function showVeiled(
  { text, pieces }: VeiledText,
  offsets: readonly number[],
): { shown: ShownText; offsets: readonly number[] } {
  const bytes = Buffer.from(
    fillVeils(
      text,
      pieces.map(({ shown }) => shown),
    ).text,
  )
  if (pieces.length === 0) return { shown: { bytes, marks: [] }, offsets }
  const veiled = Buffer.from(text)
  const marks: { start: number; end: number }[] = []
  const moved: number[] = []
  let [veil, shift] = [veiled.indexOf(0), 0]
  function passVeils(before: number): void {
    for (; veil >= 0 && veil < before; veil = veiled.indexOf(0, veil + 1)) {
      const length = Buffer.byteLength(pieces[marks.length]?.shown ?? '')
      marks.push({ start: veil + shift, end: veil + shift + length })
      shift += length - 1
    }
  }
  for (const offset of offsets) {
    passVeils(offset)
    moved.push(offset + shift)
  }
  passVeils(veiled.length)
  return { shown: { bytes, marks }, offsets: moved }
}
