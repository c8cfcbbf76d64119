import { ToolFault } from '../tool-fault.ts'
import { checkLinesApart, checkMatches } from './check-matches.ts'
import { EDITED_MAX_BYTES, type Edit, type Span } from './edit.ts'
import { type Engines, findMatches, type SoughtEdit } from './find-matches.ts'
import { endingOf, type LineEnding, linesOf, withEnding } from './lines.ts'

const BYTE_ORDER_MARK = '\ufeff'

/** What stands in the place of a part of the old text. */
interface Change extends Span {
  readonly edit: number
  readonly text: string
  /** Where in the text that begins which the edit is about. */
  readonly lead: number
}

/** The new text, and for each edit the lines of the new text that its changes begin on. */
export interface EditPlan {
  readonly text: string
  readonly lines: readonly (readonly number[])[]
}

/**
 * Works out what a text becomes by a list of edits: all of them or none. Every match is looked for in the text as it was
 * before the first edit. The text is given with its secrets veiled, so none of them is found. A byte order mark stays
 * where it is and is no part of what patterns see.
 */
export async function planEdits(text: string, edits: readonly Edit[], engines: Engines): Promise<EditPlan> {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  const body = text.slice(mark.length)
  const sought = edits.map((edit) => withoutMark(edit, mark))
  const found = await findMatches(body, sought, engines)
  const lines = linesOf(body)
  for (const [place, matches] of found.entries()) checkMatches(edits, place, matches, { text: body, lines })
  checkLinesApart(found, lines)
  const changes = listChanges(sought, found, endingOf(body))
  checkSize(body, changes)
  return applyChanges(mark, body, changes, edits.length)
}

/** What read_file showed begins with the mark; a spec that was copied with it means the beginning of the text. */
function withoutMark(edit: Edit, mark: string): SoughtEdit {
  if (mark === '' || edit.match_mode !== 'exact' || !edit.spec.startsWith(mark))
    return { ...edit, at_start: false }
  const content = edit.content?.startsWith(mark) ? edit.content.slice(mark.length) : edit.content
  return { ...edit, spec: edit.spec.slice(mark.length), content, at_start: true }
}

/** In the order of the matches: what is put in after one stands where the next one may begin. */
function listChanges(edits: readonly Edit[], found: readonly Span[][], ending: LineEnding): Change[] {
  const contents = edits.map(({ content = '' }) => withEnding(content, ending))
  const all = found.flatMap((spans, edit) => spans.map((span) => ({ span, edit })))
  all.sort((a, b) => a.span.start - b.span.start)
  return all.map(({ span, edit }) => {
    const { operation } = edits[edit] as Edit
    return { edit, ...changeAt(span, operation, contents[edit] as string, ending) }
  })
}

function changeAt(
  { start, end }: Span,
  operation: Edit['operation'],
  text: string,
  ending: LineEnding,
): Omit<Change, 'edit'> {
  if (operation === 'append_after') return { start: end, end, text: ending + text, lead: ending.length }
  if (operation === 'prepend_before') return { start, end: start, text: text + ending, lead: 0 }
  return { start, end, text: operation === 'delete' ? '' : text, lead: 0 }
}

function checkSize(body: string, changes: readonly Change[]): void {
  const length = changes.reduce((sum, { start, end, text }) => sum + text.length - (end - start), body.length)
  if (length <= EDITED_MAX_BYTES) return
  throw new ToolFault(
    'FileTooLarge',
    `The file would have over ${EDITED_MAX_BYTES} bytes after the edit.`,
    'Put the new text into a file of its own, or make smaller edits.',
  )
}

function applyChanges(mark: string, body: string, changes: readonly Change[], edits: number): EditPlan {
  const pieces: string[] = [mark]
  const at = Array.from({ length: edits }, (): number[] => [])
  let [copied, length] = [0, 0]
  for (const { start, end, text, lead, edit } of changes) {
    pieces.push(body.slice(copied, start), text)
    length += start - copied
    at[edit]?.push(length + lead)
    length += text.length
    copied = end
  }
  pieces.push(body.slice(copied))
  const text = pieces.join('')
  const lines = linesOf(text.slice(mark.length))
  return { text, lines: at.map((indexes) => indexes.map((index) => lines.numberAt(index))) }
}
