import { ToolFault } from '../tool-fault.ts'
import type { Edit, Span } from './edit.ts'
import { splitsEnding } from './line-ending.ts'
import type { Lines } from './lines.ts'
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
