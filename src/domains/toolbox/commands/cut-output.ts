import { MARK_START, MAX_MARK_CHARS } from '../../../platform/redaction/mark.ts'
import { ToolFault } from '../tool-fault.ts'
import { DEFAULT_EDGE_LINES, LINE_CHARACTERS_MAX, STRATEGY_LINES_MAX } from './command-limits.ts'

/** Which lines of a stream are shown. */
export interface Truncation {
  readonly head: number
  readonly tail: number
}

/** What is shown of a stream, and what was left out of it. */
export interface CutText {
  readonly text: string
  readonly notice: string | undefined
}

const STRATEGY = /^(HEAD|TAIL):([1-9][0-9]{0,4})$/

/** Reads `HEAD:n` or `TAIL:n`; without one, both ends of a long output are shown. */
export function parseTruncation(strategy: string | undefined): Truncation {
  if (strategy === undefined) return { head: DEFAULT_EDGE_LINES, tail: DEFAULT_EDGE_LINES }
  const [, end, digits] = STRATEGY.exec(strategy) ?? []
  const lines = Number(digits)
  if (end !== undefined && lines <= STRATEGY_LINES_MAX) {
    return end === 'HEAD' ? { head: lines, tail: 0 } : { head: 0, tail: lines }
  }
  throw new ToolFault(
    'ValidationError',
    `truncation_strategy ${JSON.stringify(strategy)} is not known.`,
    `Use HEAD:n for the first n lines or TAIL:n for the last n, with n from 1 to ${STRATEGY_LINES_MAX}.`,
  )
}

/** Cuts one stream. Where its middle was lost before, there were more lines than can be counted. */
export function cutOutput(name: string, text: string, cut: Truncation, has_gap = false): CutText {
  const lines = splitLines(text)
  const is_long = lines.length > cut.head + cut.tail
  const more_than = has_gap ? 'more than ' : ''
  const kept = is_long ? edges(lines, cut, more_than) : lines
  const is_wide = kept.some((line) => line.length > LINE_CHARACTERS_MAX)
  const shown = kept.map((line) => shortenLine(line)).join('\n')
  const parts = [
    is_long ? `${renderWhich(cut)} of ${more_than}${lines.length} lines` : '',
    is_wide ? `lines cut at ${LINE_CHARACTERS_MAX} characters` : '',
  ].filter((part) => part !== '')
  const ends_whole = text.endsWith('\n') && kept.length > 0
  return {
    text: ends_whole ? `${shown}\n` : shown,
    notice: parts.length === 0 ? undefined : `${name} was cut: ${parts.join('; ')}.`,
  }
}

function edges(lines: readonly string[], { head, tail }: Truncation, more_than: string): string[] {
  const front = lines.slice(0, head)
  const end = tail === 0 ? [] : lines.slice(-tail)
  const left_out = lines.length - front.length - end.length
  return head > 0 && tail > 0
    ? [...front, `… ${more_than}${left_out} lines left out …`, ...end]
    : [...front, ...end]
}

function renderWhich({ head, tail }: Truncation): string {
  if (head > 0 && tail > 0) return `the first ${head} and the last ${tail}`
  return head > 0 ? `the first ${head}` : `the last ${tail}`
}

function splitLines(text: string): string[] {
  if (text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

function shortenLine(line: string): string {
  if (line.length <= LINE_CHARACTERS_MAX) return line
  const cut = withoutHalfMark(line.slice(0, LINE_CHARACTERS_MAX))
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}… ${line.length - cut.length} characters left out`
}

/** Half of a mark would not be known for one where it is copied into a file. */
function withoutHalfMark(cut: string): string {
  const start = cut.lastIndexOf(MARK_START)
  return start < cut.length - MAX_MARK_CHARS || cut.includes(']', start) ? cut : cut.slice(0, start)
}
