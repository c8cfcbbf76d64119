import type { Language } from './code-languages.ts'
import { BLANK, CODE, findOpen, kindOfLine } from './source-line.ts'

const TAB_WIDTH = 4
const INDENT_LIMIT = 65_535
const [TAB, SPACE] = [9, 32]
/** Beyond the blanks of ASCII there are others, which only a pattern knows. */
const ASCII_END = 128

/** Some of these words are names of members elsewhere. */
const CONTINUED =
  /^\s*(?:[})\]{>.,?:|&=]|(?:end|where|rescue|ensure|else|elif|elsif|except|finally)\b(?!\(|\?|:\s*\S)|catch\b|\w+\s*:\s*$)/
const MAY_CONTINUE = '})]{>.,?:|&=ewrfc'
/** Most words are of ASCII, which is told much sooner. */
const ASCII_WORDS = /[A-Za-z0-9]/
const WORDS = /[\p{L}\p{N}]/u
const END = /^\s*end\s*$/
const SIGNS = '"#\'*+-.:=^`~'
const ANNOTATION_SIGNS = '@#['

/** The lines of a document and what each of them is. Lines are counted from 0. */
export interface ScannedLines {
  readonly text: string
  readonly count: number
  /** Where each line begins; after the last one comes where a next one would. */
  readonly starts: readonly number[]
  /** How far each is indented, in blanks. */
  readonly indents: readonly number[]
  /** What each is, as `source-line.ts` has it; without a language all are code. */
  readonly kinds: readonly number[]
  /** The first character of each that is no blank; empty for a blank line. */
  readonly firsts: readonly string[]
}

/** Reads a document line by line, knowing on each whether a comment or a text was left open before it. */
export function scanLines(text: string, language: Language | undefined): ScannedLines {
  const [starts, indents, kinds, firsts]: [number[], number[], number[], string[]] = [[], [], [], []]
  let open = ''
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf('\n', from)
    const to = end === -1 ? text.length : end
    starts.push(from)
    indents.push(indentOf(text, from, to))
    const first = firstOf(text, from, to)
    firsts.push(first)
    if (language) {
      const line = text.slice(from, to)
      kinds.push(kindOfLine(line, open, language))
      open = findOpen(line, open, language)
    } else kinds.push(first === '' ? BLANK : CODE)
    from = to + 1
  }
  const count = starts.length
  starts.push(text.length + 1)
  return { text, count, starts, indents, kinds, firsts }
}

function indentOf(text: string, from: number, to: number): number {
  let width = 0
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code === SPACE) width++
    else if (code === TAB) width += TAB_WIDTH
    else break
  }
  return Math.min(width, INDENT_LIMIT)
}

function firstOf(text: string, from: number, to: number): string {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code === SPACE || (code >= TAB && code <= 13)) continue
    if (code < ASCII_END) return text[at] as string
    return text.slice(at, to).trimStart().slice(0, 1)
  }
  return ''
}

/** A line without its end. */
export function lineAt({ text, starts }: ScannedLines, line: number): string {
  return text.slice(starts[line], (starts[line + 1] as number) - 1)
}

/** Whether a line has nothing on it, or is none. */
export function isBlankAt({ firsts }: ScannedLines, line: number): boolean {
  return (firsts[line] ?? '') === ''
}

/** Whether nobody could look for anything on a line: blank, or brackets and marks only. */
export function isWordlessAt(scanned: ScannedLines, line: number): boolean {
  const text = lineAt(scanned, line)
  return !ASCII_WORDS.test(text) && !WORDS.test(text)
}

/** Whether nothing but `end` stands on a line. */
export function isEndAt(scanned: ScannedLines, line: number): boolean {
  return scanned.firsts[line] === 'e' && END.test(lineAt(scanned, line))
}

/** Whether a line goes on with what stands before it. */
export function isContinuedAt(scanned: ScannedLines, line: number): boolean {
  const text = lineAt(scanned, line)
  const may = MAY_CONTINUE.includes(scanned.firsts[line] as string) || text.trimEnd().endsWith(':')
  return may && CONTINUED.test(text)
}

/** Whether a line begins with a sign that may make a heading of it or of the line above. */
export function hasSignAt({ firsts }: ScannedLines, line: number): boolean {
  return firsts[line] !== '' && SIGNS.includes(firsts[line] as string)
}

/** Whether a line begins as annotations do. */
export function mayAnnotateAt({ firsts }: ScannedLines, line: number): boolean {
  return firsts[line] !== '' && ANNOTATION_SIGNS.includes(firsts[line] as string)
}
