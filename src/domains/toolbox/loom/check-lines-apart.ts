import { ToolFault } from '../tool-fault.ts'
import type { Span } from './edit.ts'
import type { Lines } from './lines.ts'

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
