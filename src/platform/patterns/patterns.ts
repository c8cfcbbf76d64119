/** Where a pattern was found, as indexes into the text (UTF-16, like all JavaScript text). */
export interface PatternMatch {
  readonly start: number
  readonly end: number
}

/** The pattern is not one the engine knows; the message says what and what to write instead. */
export class PatternInvalid extends Error {
  override readonly name = 'PatternInvalid'
}

/** The time allowed for one pattern operation was used up; the work was stopped. */
export class PatternTimeout extends Error {
  override readonly name = 'PatternTimeout'
}

/** The thread that was to do the work could not be started, for a reason of the system's. Nothing was looked at. */
export class ThreadUnavailable extends Error {
  override readonly name = 'ThreadUnavailable'
  constructor(cause: unknown) {
    super(`A thread could not be started${codeOf(cause)}.`, { cause })
  }
}

/** The code alone: what else the system says names places of the host. */
function codeOf(cause: unknown): string {
  const text = cause instanceof Error ? `${(cause as NodeJS.ErrnoException).code ?? ''} ${cause.message}` : ''
  if (/\bE[MN]FILE\b/.test(text)) return ': too many files are open'
  const code = /\bE[A-Z_]{3,40}\b/.exec(text)?.[0]
  return code === undefined ? '' : `: ${code}`
}

/** For compiling a pattern and looking through one text with it. */
export const PATTERN_TIME_LIMIT_MS = 100

export const PATTERN_MAX_CHARS = 1_000

/** A larger text is refused as a whole, never looked through in part. */
export const PATTERN_TEXT_MAX_BYTES = 4 * 1024 * 1024

/** A character that no pattern matches, and that no match reaches over; no text of a file has it. */
export const UNMATCHABLE = '\0'

/** What an agent has to know to write a pattern; part of the description of every tool that takes one. */
export const PATTERN_SYNTAX = [
  'Regex syntax: that of Rust and RE2, close to Python re, without look-around and back-references.',
  'A pattern is matched against the whole text of a file. ^ and $ match at every line (also before \\r\\n),',
  '\\A and \\z at the ends of the text; . matches any character of a line; \\s and [^x] also match line ends.',
  'Flags: (?i) ignore case, (?s) let . match line ends, (?-m) let ^ and $ mean the whole text, (?x) spaces and',
  '# comments. \\w, \\d, \\s and \\b know Unicode. Write a literal { as \\{, and a literal [ within [] as \\[.',
].join(' ')

/** One non-backtracking engine for search, count and edit, off the main thread. */
export interface Patterns {
  /**
   * All matches that do not overlap, leftmost first; empty ones too, as the engine gives them. UNMATCHABLE in the
   * text keeps matches apart.
   */
  findAll(pattern: string, text: string): Promise<PatternMatch[]>
  close(): Promise<void>
}

/** What the pattern thread is asked. */
export interface PatternJob {
  readonly pattern: string
  readonly text: string
}

/** What it answers: indexes into the text, start and end in turn, or why the pattern is none. */
export type PatternAnswer = { readonly indexes: Uint32Array<ArrayBuffer> } | { readonly invalid: string }
