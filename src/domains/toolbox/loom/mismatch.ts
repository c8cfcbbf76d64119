import { VEIL } from '../../../platform/redaction/veil.ts'
import { ToolFault } from '../tool-fault.ts'
import type { SearchedText } from './check-matches.ts'
import type { Edit, Span } from './edit.ts'
import { findNearest } from './near-place.ts'

const LINES_NAMED = 10
const EXCERPT_LINES = 5
const EXCERPT_CHARS = 400
/** Blanks that are no plain blank, and signs that show nothing. */
const UNSEEN = /[^\P{Z} ]|\p{Cf}/gu

/** What is wrong where a text has another number of matches than an edit expects, and what might help. */
export function mismatch(
  edit: Edit,
  name: string,
  matches: readonly Span[],
  searched: SearchedText,
): ToolFault {
  const counts = `Expected ${edit.count}, Found ${matches.length}`
  const message = `Match count mismatch: ${counts} (${name}, ${edit.match_mode}). Nothing was changed.`
  const help = matches.length === 0 ? adviseOnNone(edit, searched) : adviseOnOthers(edit, matches, searched)
  return new ToolFault('PatchError', message, help)
}

function adviseOnOthers({ count }: Edit, matches: readonly Span[], { lines }: SearchedText): string {
  const at = [...new Set(matches.map(({ start }) => lines.numberAt(start)))]
  const named = at.slice(0, LINES_NAMED).join(', ') + (at.length > LINES_NAMED ? ' and more' : '')
  return (
    `It matches on ${at.length === 1 ? 'line' : 'lines'} ${named}. ` +
    `Set count to ${matches.length} to change all of them, or ${count > matches.length ? 'loosen' : 'lengthen'} ` +
    'the spec until it matches what is meant.'
  )
}

function adviseOnNone(edit: Edit, searched: SearchedText): string {
  if (edit.match_mode === 'regex')
    return searched.text.includes(edit.spec)
      ? 'The file has the spec as plain text: use match_mode exact, or escape its special characters with \\.'
      : 'Try the pattern with search_file first, or use match_mode exact with text copied from read_file.'
  if (edit.match_mode === 'ast')
    return (
      'The pattern must be a whole expression, statement or declaration as the language has it, with everything ' +
      'that the code has: return types, modifiers and decorators too, and the same quotes. $NAME stands for one ' +
      'node and $$$ for any number of them; names in capitals only.'
    )
  return adviseOnText(edit.spec, searched)
}

function adviseOnText(spec: string, { text, lines }: SearchedText): string {
  const copy = 'Copy the spec from read_file, with its blanks and line breaks.'
  const near = findNearest(text, spec, lines)
  if (!near) return `Nothing in the file is like it. ${copy}`
  const [first, last] = [lines.numberAt(near.start), lines.numberAt(near.end - 1)]
  const place = first === last ? `line ${first}` : `lines ${first} to ${last}`
  const end = lines.startOf(Math.min(last, first + EXCERPT_LINES - 1) + 1)
  const shown = text.slice(lines.startOf(first), end)
  const excerpt = shown.includes(VEIL) ? '' : ` There it reads: ${renderExcerpt(shown)}.`
  return `${WORDS[near.difference](place)}${excerpt} ${near.difference === 'endings' ? '' : copy}`.trimEnd()
}

const WORDS = {
  endings: (place: string) =>
    `It is there but for the line breaks, at ${place}: the file and the spec end lines differently. ` +
    'Write each line break in the spec as the file has it: \\r\\n, \\n, or \\r alone.',
  blanks: (place: string) => `It is there but for blanks, at ${place}.`,
  words: (place: string) => `The nearest text is at ${place}.`,
} as const

/** In quotes, so that tabs and the ends of lines are seen, and with signs spelt out that look like others or nothing. */
function renderExcerpt(text: string): string {
  const quoted = JSON.stringify(text.length > EXCERPT_CHARS ? `${text.slice(0, EXCERPT_CHARS)}…` : text)
  return quoted.toWellFormed().replace(UNSEEN, (sign) => sign.split('').map(spellSign).join(''))
}

/** As JSON spells it, so that the copy of it is the sign itself. */
function spellSign(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
}
