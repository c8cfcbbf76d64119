import type { Pair } from './pair.ts'

/** As much of an unquoted value is enough to judge it. */
const MAX_PLAIN_CHARS = 512
/** A line of a file of settings, or of a change to one, with nothing behind its value. */
const WHOLE_SETTING = /^(?:[-+>]\s?)?\s{0,40}(?:export\s{1,4}|set\s{1,4})?[A-Za-z_][\w.-]{0,99}=(\S+)\s*$/
const PARTING = /&(?:[\s&"'`#]|$|\w{1,8};|[\w.[\]%-]{0,60}=|[^\s"'`,<>]{0,60}[;)])/y
const ESCAPE = /\\{1,40}[nrt"']/y
const MAX_SETTING_CHARS = 1_000

/** An unquoted value ends at a space, a quote or a separator. */
export function plainEnd(line: string, start: number): number {
  let end = start
  let depth = 0
  const limit = Math.min(line.length, start + MAX_PLAIN_CHARS)
  for (; end < limit; end++) {
    const code = line.charCodeAt(end)
    if (isPlainStop(code, line, end)) break
    if (code === 40 || code === 91 || code === 123) depth++
    // A bracket that was opened before the value closes after it.
    else if ((code === 41 || code === 93 || code === 125) && --depth < 0) break
  }
  return end
}

function isPlainStop(code: number, line: string, at: number): boolean {
  if (code <= 32 || code === 34 || code === 39 || code === 96 || code === 44 || code === 59 || code === 60)
    return true
  // `\n` and `\"` are escapes inside a string.
  return (code === 38 && parts(line, at)) || (code === 92 && isEscape(line, at))
}

/** Each time that a text is written into another one, more backslashes stand before the letter or the quote. */
function isEscape(line: string, at: number): boolean {
  ESCAPE.lastIndex = at
  return ESCAPE.test(line)
}

/** `&` parts a query and commands, and joins the terms of an expression; anywhere else it is a sign of a password. */
function parts(line: string, at: number): boolean {
  PARTING.lastIndex = at
  return PARTING.test(line)
}

/**
 * Where a value really ends: one without quotes was only looked at as far as judging it takes. In a file of settings it
 * goes on to the end of its line, whatever signs it has.
 */
export function valueEnd(line: string, pair: Pair): number {
  const whole = pair.isQuoted || pair.by !== '=' ? undefined : wholeLineEnd(line, pair.start)
  if (whole !== undefined && !/[(){}<>]/.test(line.slice(pair.end, whole))) return Math.max(whole, pair.end)
  let { end } = pair
  if (end - pair.start < MAX_PLAIN_CHARS || /["'`\\]/.test(line[end] ?? '')) return end
  while (end < line.length && !isPlainStop(line.charCodeAt(end), line, end)) end++
  return end
}

/** The end of the value at a place that has the rest of its line, or as much as comes before the next `name=`. */
function wholeLineEnd(line: string, start: number): number | undefined {
  if (line.length > MAX_SETTING_CHARS) return undefined
  const value = WHOLE_SETTING.exec(line)?.[1]
  if (value === undefined || line.indexOf('=') + 1 !== start) return undefined
  const next = value.search(/[&;,][A-Za-z_][\w.-]{0,99}=/)
  return start + (next < 0 ? value.replace(/["'`,;]+$/, '').length : next)
}
