import type { RawChange } from './raw-diff.ts'
import type { IndexEntry } from './tree/index-entries.ts'
import type { WorkTree } from './tree/work-tree.ts'

/** One line of `git status --short`. */
export interface StatusLine {
  /** What the index says against the last commit; a blank for nothing. */
  readonly index: string
  /** What the work tree says against the index. */
  readonly tree: string
  readonly path: string
  /** Of a renamed or copied file. */
  readonly from: string | undefined
}

/** What is checked out. */
export interface Head {
  /** Nothing while no branch is checked out. */
  readonly branch: string | undefined
  /** Whether there is a commit. */
  readonly is_born: boolean
}

/** The letters of a conflict, by the stages that are in the index. */
const CONFLICTS: Readonly<Record<string, string>> = {
  '1': 'DD',
  '2': 'AU',
  '3': 'UA',
  '12': 'UD',
  '13': 'DU',
  '23': 'AA',
  '123': 'UU',
}
const CONTROL_ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
}

/** Joins what is staged with what is changed in the work tree: git's order, one line a path. */
export function statusLines(
  staged: readonly Pick<RawChange, 'status' | 'path' | 'from'>[],
  entries: readonly IndexEntry[],
  { changed, untracked }: Pick<WorkTree, 'changed' | 'untracked'>,
): StatusLine[] {
  const lines = new Map<string, StatusLine>()
  for (const { status, path, from } of staged)
    if (status !== 'U') lines.set(path, { index: status, tree: ' ', path, from })
  for (const [path, stages] of conflictsIn(entries)) {
    const [index = 'U', tree = 'U'] = CONFLICTS[stages] ?? 'UU'
    lines.set(path, { index, tree, path, from: undefined })
  }
  for (const [path, tree] of changed) {
    const { index = ' ', from = undefined } = lines.get(path) ?? {}
    lines.set(path, { index, tree, path, from })
  }
  const others = untracked.map((path) => ({ index: '?', tree: '?', path, from: undefined }))
  return [...[...lines.values()].toSorted(byPath), ...others.toSorted(byPath)]
}

function conflictsIn(entries: readonly IndexEntry[]): Map<string, string> {
  const stages = new Map<string, string>()
  for (const { path, stage } of entries) if (stage > 0) stages.set(path, `${stages.get(path) ?? ''}${stage}`)
  return stages
}

function byPath(one: StatusLine, other: StatusLine): number {
  return Buffer.compare(Buffer.from(one.path), Buffer.from(other.path))
}

/** The text of `git status --short --branch`. */
export function renderStatus(head: Head, lines: readonly StatusLine[]): string {
  const texts = lines.map(({ index, tree, path, from }) => {
    const shown = from === undefined ? quotedPath(path) : `${quotedPath(from)} -> ${quotedPath(path)}`
    return `${index}${tree} ${shown}`
  })
  return [`## ${renderHead(head)}`, ...texts, ''].join('\n')
}

function renderHead({ branch, is_born }: Head): string {
  if (branch === undefined) return 'HEAD (no branch)'
  return is_born ? branch : `No commits yet on ${branch}`
}

/** A path as git's short status prints it: in quotes where it has a blank or what could be misread. */
export function quotedPath(path: string): string {
  const escaped = path.replace(/[\p{ASCII}--[ !#-\[\]-~]]/gv, (char) => CONTROL_ESCAPES[char] ?? octal(char))
  return escaped !== path || path.includes(' ') ? `"${escaped}"` : path
}

function octal(char: string): string {
  return `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`
}

/** Whether a line tells of a conflict that a merge left. */
export function isConflict({ index, tree }: StatusLine): boolean {
  return index === 'U' || tree === 'U' || (index === tree && (index === 'A' || index === 'D'))
}
