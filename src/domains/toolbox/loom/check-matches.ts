import { ToolFault } from '../tool-fault.ts'
import type { Edit, Span } from './edit.ts'
import { type Lines, splitsEnding } from './lines.ts'
import { mismatch } from './mismatch.ts'

/** The text that edits were looked for in; veiled, so that no error can tell of what is hidden. */
export interface SearchedText {
  readonly text: string
  readonly lines: Lines
}

/** Checks that the matches of one edit are as many as expected and that each can be changed by itself. */
export function checkMatches(
  edits: readonly Edit[],
  place: number,
  matches: readonly Span[],
  searched: SearchedText,
): void {
  const edit = edits[place] as Edit
  const name = nameOf(edits, place)
  if (matches.some(({ start, end }) => start === end)) throw emptyMatch(name)
  if (matches.length !== edit.count) throw mismatch(edit, name, matches, searched)
  const { text, lines } = searched
  const split = matches.find(({ start, end }) => splitsEnding(text, start) || splitsEnding(text, end))
  if (split) throw splitEnding(name, lines.numberAt(split.start))
  const nested = matches.find(({ start }, index) => index > 0 && start < (matches[index - 1] as Span).end)
  if (nested) throw nestedMatches(name, lines.numberAt(nested.start))
}

/** How an edit is called in errors. */
export function nameOf(edits: readonly Edit[], place: number): string {
  return edits.length === 1 ? 'the edit' : `edit ${place + 1} of ${edits.length}`
}

function emptyMatch(name: string): ToolFault {
  return new ToolFault(
    'ValidationError',
    `The spec of ${name} matches places without any text.`,
    'Write a spec that matches at least one character, such as \\w+ in place of \\w*.',
  )
}

function splitEnding(name: string, line: number): ToolFault {
  return new ToolFault(
    'ValidationError',
    `The spec of ${name} matches one half of a CRLF line ending, at line ${line}.`,
    'The lines of this file end with \\r\\n: write \\r\\n for a line break in the spec, or leave line breaks out.',
  )
}

function nestedMatches(name: string, line: number): ToolFault {
  return new ToolFault(
    'ValidationError',
    `The matches of ${name} overlap each other at line ${line}.`,
    'Write a spec that matches only the outer or only the inner one, or make the edits in two calls.',
  )
}

/** The lines that a match of an edit touches. */
interface Touched {
  readonly edit: number
  readonly first: number
  readonly last: number
}

/** Refuses edits of which two touch one line. The matches of a single edit may share a line. */
export function checkLinesApart(found: readonly (readonly Span[])[], lines: Lines): void {
  const touched = found.flatMap((matches, edit) => matches.map((match) => touch(match, edit, lines)))
  touched.sort((a, b) => a.first - b.first || a.last - b.last)
  let reach: Touched | undefined
  for (const one of touched) {
    if (reach && reach.edit !== one.edit && reach.last >= one.first) throw sharedLine(reach, one)
    if (!reach || one.last > reach.last) reach = one
  }
}

function touch({ start, end }: Span, edit: number, lines: Lines): Touched {
  return { edit, first: lines.numberAt(start), last: lines.numberAt(end - 1) }
}

function sharedLine(one: Touched, other: Touched): ToolFault {
  const [a, b] = [one.edit + 1, other.edit + 1].toSorted((x, y) => x - y)
  return new ToolFault(
    'ValidationError',
    `Edits ${a} and ${b} overlap: both touch line ${other.first}.`,
    'Join them to one edit that covers all of these lines, or make them in two calls.',
  )
}
