import type { Edit, Span } from './edit.ts'
import { findExact } from './find-exact.ts'

/** What looks for patterns. */
export interface Engines {
  findPattern(pattern: string, text: string): Promise<readonly Span[]>
  /** Answers for each pattern in turn. */
  findNodes(patterns: readonly string[], text: string): Promise<readonly (readonly Span[])[]>
}

/** An edit to look for; `at_start` says that its text can only be the beginning of the file. */
export type SoughtEdit = Edit & { readonly at_start: boolean }

/** The matches of each edit in the text as it is. */
export async function findMatches(
  text: string,
  edits: readonly SoughtEdit[],
  engines: Engines,
): Promise<Span[][]> {
  const nodes = await findAllNodes(text, edits, engines)
  const found: Span[][] = []
  for (const edit of edits) {
    if (edit.match_mode === 'ast') found.push([...(nodes.get(edit) ?? [])])
    else if (edit.match_mode === 'regex') found.push([...(await engines.findPattern(edit.spec, text))])
    else found.push(findText(text, edit))
  }
  return found
}

function findText(text: string, { spec, at_start }: SoughtEdit): Span[] {
  return at_start ? findAtStart(text, spec) : findExact(text, spec)
}

function findAtStart(text: string, spec: string): Span[] {
  return text.startsWith(spec) ? [{ start: 0, end: spec.length }] : []
}

/** All at once, for the text has to be parsed first, which is most of the work. */
async function findAllNodes(
  text: string,
  edits: readonly SoughtEdit[],
  engines: Engines,
): Promise<Map<SoughtEdit, readonly Span[]>> {
  const sought = edits.filter(({ match_mode }) => match_mode === 'ast')
  if (sought.length === 0) return new Map()
  const found = await engines.findNodes(
    sought.map(({ spec }) => spec),
    text,
  )
  return new Map(sought.map((edit, place) => [edit, found[place] ?? []]))
}
