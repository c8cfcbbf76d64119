import { redactedLines } from '../../../platform/redaction/redacted-lines.ts'
import type { Redactor } from '../../../platform/redaction/redactor.ts'
import { findPath } from './added-lines.ts'

/** A file before and after a change, as far as it was there. In a conflict there are several before. */
export interface ChangedFile {
  readonly before: readonly (string | undefined)[]
  readonly after: string | undefined
}

interface ShownFile {
  readonly before: readonly ShownLines[]
  readonly after: ShownLines
}

/** Lines as they are, and as they are shown. */
interface ShownLines {
  readonly plain: readonly string[]
  readonly shown: readonly string[]
}

const HUNK = /^@@+ ((?:-\d+(?:,\d+)? )+)\+(\d+)(?:,\d+)? (@@+)(?: (.*))?$/

/** What of a line git may write in another way without being told of another encoding: line ends, and `ident`. */
const AS_GIT_LIKES = /\r+$|(?<=\$Id)[^$]*(?=\$)|[^\0-\x7f]/g

/**
 * Hides in a patch what redaction of the whole files hides: of a list under `passwords:`, a hunk often shows the values
 * and not the line above them. Files that are not known are taken out of the patch, and so is one whose lines git shows
 * in other letters: who may write `.gitattributes` chooses the encoding, and a secret in a code of theirs is not known.
 */
export function redactPatch(
  patch: string,
  findFile: (path: string) => ChangedFile | undefined,
  redactor: Pick<Redactor, 'findHidden'>,
): string {
  const parts = patch.split(/^(?=diff --)/m)
  return parts.map((part) => redactFile(part, findFile, redactor)).join('')
}

function redactFile(
  part: string,
  findFile: (path: string) => ChangedFile | undefined,
  redactor: Pick<Redactor, 'findHidden'>,
): string {
  const lines = part.split('\n')
  const first = lines.findIndex((line) => HUNK.test(line))
  if (first < 0) return part
  const path = pathIn(lines.slice(0, first))
  const file = path === undefined ? undefined : findFile(path)
  if (file === undefined) return `${lines.slice(0, first).join('\n')}\n`
  const shown = {
    before: file.before.map((text) => showLines(text, redactor)),
    after: showLines(file.after, redactor),
  }
  const hunks = redactHunks(lines.slice(first), shown)
  return [...lines.slice(0, first), ...(hunks ?? [''])].join('\n')
}

function showLines(text: string | undefined, redactor: Pick<Redactor, 'findHidden'>): ShownLines {
  const plain = (text ?? '').split('\n')
  return { plain, shown: text === undefined ? plain : redactedLines(text, redactor) }
}

/** The path after the change, or before it where the file is gone. */
function pathIn(header: readonly string[]): string | undefined {
  const named = (sign: string, side: string) => {
    const printed = header.find((line) => line.startsWith(`${sign} `))?.slice(sign.length + 1)
    const path = printed === undefined ? undefined : findPath(printed.replace(/\t$/, ''))
    return path?.startsWith(side) ? path.slice(side.length) : undefined
  }
  return named('+++', 'b/') ?? named('---', 'a/')
}

/** Follows the numbers of the lines through the hunks of one file; undefined where they are not those of the file. */
function redactHunks(lines: readonly string[], file: ShownFile): string[] | undefined {
  let before: number[] = []
  let after = 0
  let is_converted = false
  const redacted = lines.map((line) => {
    const hunk = HUNK.exec(line)
    if (hunk) {
      const [, old = '', start, signs = '', heading] = hunk
      before = Array.from(old.matchAll(/-(\d+)/g), ([, number]) => Number(number) - 1)
      after = Number(start) - 1
      return heading === undefined || !isHidden(heading, file)
        ? line
        : line.slice(0, line.indexOf(signs, signs.length) + signs.length)
    }
    const marks = line.slice(0, before.length)
    if (!/^[-+ ]+$/.test(marks) || marks.length < before.length) return line
    const text = line.slice(before.length)
    const is_removed = marks.includes('-')
    const sides = [...marks].flatMap((mark, side) =>
      mark === (is_removed ? '-' : ' ') ? [lineAt(file.before[side], before[side])] : [],
    )
    if (!is_removed) {
      is_converted ||= !isSameText(file.after.plain[after], text)
      sides.push(lineAt(file.after, after++))
    }
    before = before.map((number, side) => (marks[side] === (is_removed ? '-' : ' ') ? number + 1 : number))
    // What one side of a change hides is hidden: the marks of a conflict break a list in two on the other.
    return marks + (sides.find((shown) => shown !== undefined) ?? text)
  })
  return is_converted ? undefined : redacted
}

function isSameText(plain: string | undefined, shown: string): boolean {
  return plain === shown || plain?.replace(AS_GIT_LIKES, '') === shown.replace(AS_GIT_LIKES, '')
}

/** The line as it is shown where that is not as it is. */
function lineAt(lines: ShownLines | undefined, index = 0): string | undefined {
  const [plain, shown] = [lines?.plain[index], lines?.shown[index]]
  return plain === shown ? undefined : shown
}

/** Whether what git shows behind the place of a hunk is the beginning of a line that is not shown as it is. */
function isHidden(heading: string, { before, after }: ShownFile): boolean {
  return [...before, after].some(({ plain, shown }) =>
    plain.some((line, index) => line !== shown[index] && line.trimEnd().startsWith(heading.trimEnd())),
  )
}
