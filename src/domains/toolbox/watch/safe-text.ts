import { spellCodePoint, spellHidden } from '../../../platform/basics/hidden-signs.ts'
import { renderMark } from '../../../platform/redaction/mark.ts'
import type { Redactor } from '../../../platform/redaction/redactor.ts'

/** What stands for a text that could not be made fit to be shown. */
export const WITHHELD = '[WITHHELD]'

/** Of a longer text only the beginning is looked at. */
const READ_CHARS = 8_192
const ARGUMENT_LIMIT = 32
const ARGUMENT_CHARS = 256

/** Characters that would move, hide or reorder what stands around them. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/gu

type Redact = Pick<Redactor, 'redact' | 'find'>

/** A text of an agent's, fit for the stream: no secrets, one line, no longer than told. */
export function safeText(redactor: Redact, text: string, limit_chars: number): string {
  try {
    const shown = redactor.redact(text.slice(0, READ_CHARS))
    // What was cut off may have begun a secret that its rest alone does not look like.
    if (text.length > READ_CHARS && shown.length <= limit_chars) return WITHHELD
    return oneLine(shown, limit_chars)
  } catch {
    return WITHHELD
  }
}

/** Arguments of a command, each fit for the stream; a secret that only its neighbour gives away is found too. */
export function safeArguments(redactor: Redact, args: readonly string[]): string[] {
  const taken = args.slice(0, ARGUMENT_LIMIT)
  const more = args.length - taken.length
  const shown = withNeighbours(redactor, taken).map((text) => safeText(redactor, text, ARGUMENT_CHARS))
  return more > 0 ? [...shown, `… and ${more} more`] : shown
}

function withNeighbours(redactor: Redact, args: readonly string[]): string[] {
  try {
    const read = args.map((text) => text.slice(0, READ_CHARS))
    const findings = redactor.find(read.join(' '))
    let end = -1
    return args.map((text, at) => {
      const start = end + 1
      const own = read[at] as string
      end = start + own.length
      const hit = findings.find((finding) => finding.start < end && finding.end > start)
      // What stands out by itself is taken out by itself; the rest of such an argument may stay.
      return !hit || redactor.find(own).length > 0 ? text : renderMark(hit.rule)
    })
  } catch {
    return args.map(() => WITHHELD)
  }
}

/**
 * A text on one line, no longer than told. What cannot be seen is written as its number; a backslash is
 * doubled, so that nobody can write such a number themselves.
 */
export function oneLine(text: string, limit_chars: number): string {
  const doubled = text.slice(0, READ_CHARS).replaceAll('\\', '\\\\')
  const visible = spellHidden(doubled).replace(UNPRINTABLE, (sign) =>
    spellCodePoint(sign.codePointAt(0) as number),
  )
  return visible.length <= limit_chars ? visible : `${visible.slice(0, limit_chars - 1).toWellFormed()}…`
}
