import { findPath } from './quoted-path.ts'

/** One line of `git status --short`. */
export interface StatusLine {
  /** What the index says against the last commit; a blank for nothing. */
  readonly index: string
  /** What the work tree says against the index. */
  readonly tree: string
  readonly path: string
  /** Of a renamed or copied file. */
  readonly from: string | undefined
  readonly text: string
}

export interface ShortStatus {
  /** Nothing while no branch is checked out. */
  readonly branch: string | undefined
  readonly header: string
  readonly lines: readonly StatusLine[]
}

const LINE = /^([ MADRCUT?!])([ MADRCUT?!]) (?:("(?:[^"\\]|\\.)*"|[^"].*?) -> )?("(?:[^"\\]|\\.)*"|[^"].*)$/

/** Reads what `git status --short --branch` prints; a line that was cut off is left out. */
export function parseShortStatus(text: string): ShortStatus {
  const [header = '', ...rest] = text.split('\n')
  const lines = rest.flatMap((line) => {
    const parsed = parseLine(line)
    return parsed === undefined ? [] : [parsed]
  })
  return { branch: branchOf(header), header, lines }
}

function branchOf(header: string): string | undefined {
  const named = header.replace(/^## (?:No commits yet on |Initial commit on )?/, '').split('...')[0] as string
  return !header.startsWith('## ') || named === 'HEAD (no branch)' ? undefined : named
}

function parseLine(text: string): StatusLine | undefined {
  const [, index, tree, from, path] = LINE.exec(text) ?? []
  if (index === undefined || tree === undefined || path === undefined) return undefined
  const [real, source] = [findPath(path), from === undefined ? undefined : findPath(from)]
  if (real === undefined || (from !== undefined && source === undefined)) return undefined
  return { index, tree, path: real, from: source, text }
}

/** Whether a line tells of a conflict that a merge left. */
export function isConflict({ index, tree }: StatusLine): boolean {
  return index === 'U' || tree === 'U' || (index === tree && (index === 'A' || index === 'D'))
}
