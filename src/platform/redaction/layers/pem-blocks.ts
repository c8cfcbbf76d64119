/** What the lines of a text are inside of: nothing, a block to hide or a block to leave readable. */
export type PemState = 'outside' | 'private' | 'public'

export interface PemSpan {
  start: number
  end: number
}

/** In an address the spaces are `+` or `%20`. */
const BEGIN = /-----BEGIN(?: |\+|%20)([A-Z0-9 +%]{0,48})-{0,5}/y
const HIDDEN = /PRIVATE(?: |\+|%20)KEY|PGP PRIVATE|OPENSSH/
/** Digits of base64, with what may stand around them: margins, quotes, escapes of line ends. */
const BODY =
  /(?:[A-Za-z0-9+/=]|%(?:0A|0D|2B|2F|3D)|\\[nrt]|[\s"',]|(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset): ?[\w,./:@()<> -]{0,120}?(?=\\[nr]|[\r\n]|$))*/y
const MARGIN = /^[\s>+|#*/"'-]*(?:\d{1,7}[\s:|→-]+)?["']?/
/** What the digits were taken for is not given back: a failed line is walked once. */
const BODY_LINE =
  /^(?:(?=([A-Za-z0-9+/=]*))\1|(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset|MessageID): ?[\w,.()@<>/:+ -]{0,120})["'\\nr,;+)> \t\r]*$/
const END = '-----END'

/** What a line in a private block hides of itself, and whether the block goes on after it. */
export function hideBlockLine(line: string): { span: PemSpan; goesOn: boolean } | undefined {
  const end = line.indexOf(END)
  if (end >= 0) return { span: { start: 0, end: afterEnd(line, end) }, goesOn: false }
  const margin = MARGIN.exec(line)?.[0].length ?? 0
  if (!BODY_LINE.test(line.slice(margin))) return undefined
  return { span: { start: 0, end: lineLength(line) }, goesOn: true }
}

/** Whether a line can be the body of a public block. */
export function isBlockLine(line: string): boolean {
  return BODY_LINE.test(line.slice(MARGIN.exec(line)?.[0].length ?? 0))
}

/**
 * The block that opens at `at`, up to its end on this line (`ends` are the places of END marks, `from` the first
 * that may matter), or as far as the line looks like one. Its digits of base64 reach to `bodyEnd`.
 */
export function openBlock(
  line: string,
  at: number,
  nextEnd: number,
): { state: PemState; span: PemSpan; bodyEnd: number; isOpen: boolean } {
  BEGIN.lastIndex = at
  const found = BEGIN.exec(line)
  if (!found) return { state: 'outside', span: { start: at, end: at }, bodyEnd: at, isOpen: false }
  const state = HIDDEN.test(found[1] ?? '') ? 'private' : 'public'
  const bodyStart = at + found[0].length
  BODY.lastIndex = bodyStart
  BODY.exec(line)
  const bodyEnd = Math.max(BODY.lastIndex, bodyStart)
  if (nextEnd >= bodyStart && nextEnd - bodyStart <= MAX_INLINE_CHARS) {
    return { state, span: { start: at, end: afterEnd(line, nextEnd) }, bodyEnd, isOpen: false }
  }
  const end = Math.min(bodyEnd, lineLength(line))
  return { state, span: { start: at, end }, bodyEnd, isOpen: bodyEnd >= line.length }
}

const MAX_INLINE_CHARS = 16_000

/** Without the carriage return, which belongs to the end of the line. */
function lineLength(line: string): number {
  return line.endsWith('\r') ? line.length - 1 : line.length
}

function afterEnd(line: string, at: number): number {
  const close = /^-----END [A-Z0-9 ]{0,40}-{0,5}/.exec(line.slice(at, at + 64))?.[0].length ?? END.length
  return at + close
}
