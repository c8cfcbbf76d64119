export type PatternPartKind = 'escape' | 'class' | 'class_escape' | 'group' | 'repeat' | 'brace'

/** A part of a pattern that some engines read in another way than others. */
export interface PatternPart {
  readonly kind: PatternPartKind
  readonly start: number
  /** For a class its contents, for a group what opens it, for the others the whole. */
  readonly text: string
}

const ESCAPE = /\\(?:[pPuUx]\{[^}]*\}|[bB]\{[^}\d,\s]*\}|.)/suy
const BRACE = /\{[\d,\s]*\}|\{/y
const REPEAT = /[*+?]|\{\d*,?\d*\}/y
const GROUP = /\((?:\?(?:P?[<'=>][=!]?\w*[>')]?|[^\s\w]|[A-Za-z0-9+-]*[:)]?)?|\*\w*)?/y
const POSIX_NAME =
  /\[:\^?(?:alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\]/y
const VERBOSE = /\(\?[a-zA-Z]*x/

/** Whether blanks and comments in a pattern may mean nothing. */
export function isVerbose(pattern: string): boolean {
  return VERBOSE.test(pattern)
}

/** Reads a pattern from left to right as far as needed to tell escapes, classes, groups and repeats apart. */
export function listPatternParts(pattern: string): PatternPart[] {
  const parts: PatternPart[] = []
  const is_verbose = isVerbose(pattern)
  let at = 0
  const add = (kind: PatternPartKind, start: number, text: string) => parts.push({ kind, start, text })
  while (at < pattern.length) {
    const start = at
    const letter = pattern[at] as string
    if (letter === '\\') at = addEscape(pattern, at, add, 'escape')
    else if (letter === '[') at = readClass(pattern, at, add)
    else if (letter === '(') at += addMatch(GROUP, pattern, at, (text) => add('group', start, text))
    else if (letter === '#' && is_verbose) at = endOfLine(pattern, at)
    else at += addMatch(REPEAT, pattern, at, (text) => add('repeat', start, text))
    if (letter === '{' && at === start + 1) add('brace', start, matchAt(BRACE, pattern, start) ?? '{')
  }
  return parts
}

type Add = (kind: PatternPartKind, start: number, text: string) => void

function addEscape(pattern: string, at: number, add: Add, kind: PatternPartKind): number {
  const text = matchAt(ESCAPE, pattern, at) ?? '\\'
  add(kind, at, text)
  return at + text.length
}

/** The length of what matches here; one character where nothing does. */
function addMatch(form: RegExp, pattern: string, at: number, add: (text: string) => void): number {
  const text = matchAt(form, pattern, at)
  if (text === undefined) return 1
  add(text)
  return text.length
}

function matchAt(form: RegExp, pattern: string, at: number): string | undefined {
  form.lastIndex = at
  return form.exec(pattern)?.[0]
}

function endOfLine(pattern: string, at: number): number {
  const end = pattern.indexOf('\n', at)
  return end < 0 ? pattern.length : end
}

/** A `]` that stands first is a character of the class. */
function readClass(pattern: string, start: number, add: Add): number {
  let at = start + (pattern[start + 1] === '^' ? 2 : 1)
  let contents = ''
  if (pattern[at] === ']') at += 1
  while (at < pattern.length && pattern[at] !== ']') {
    const next = pattern[at] === '\\' ? addEscape(pattern, at, add, 'class_escape') : undefined
    const name = matchAt(POSIX_NAME, pattern, at)
    if (next === undefined && name === undefined) contents += pattern[at]
    else contents += '\\'
    at = next ?? at + (name?.length ?? 1)
  }
  add('class', start, contents)
  return at + 1
}
