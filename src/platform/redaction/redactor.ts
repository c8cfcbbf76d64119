import type { Redact } from '../basics/redact-name.ts'
import type { Finding, HiddenPiece } from './finding.ts'
import { knownBlocks, knownForms, type SecretsIn } from './known/known-values.ts'
import { rememberClean, rememberNothing } from './known/remember-clean.ts'
import { repeats } from './known/repeated-values.ts'
import { isKnownExactly, shownRule } from './mark.ts'
import { readOwnerPattern } from './owner-patterns.ts'
import { redactTree } from './redact-tree.ts'
import { RULES } from './rules.ts'
import { anchorTable } from './scan/anchor-table.ts'
import { type FoundPiece, findPieces, renderPieces } from './scan/found-pieces.ts'
import { ENOUGH_CHARS, makeScanners, type Scanner } from './scan/scan.ts'

/** Redaction could not be done: whatever was to be shown has to be withheld. */
export class RedactionFailed extends Error {
  constructor(cause: unknown) {
    super('redaction failed', { cause })
    this.name = 'RedactionFailed'
  }
}

export interface RedactorOptions {
  /** The values of these variables are hidden, except for names that are known to hold none. */
  environment?: Record<string, string | undefined>
  /** The owner's own patterns: a text, or a prefix with `...` for the token that follows it. */
  patterns?: readonly string[]
  /** Secret values that are known exactly. */
  known?: readonly string[]
  /** Ids of rules that are switched off. */
  exceptions?: readonly string[]
  /** For texts that come again: those without a secret are recognised, and not looked through anew. */
  remembers?: boolean
}

export interface RedactionStream {
  /** Takes the next piece of a text; gives what can be shown of it so far. */
  push(chunk: string): string
  /** Gives the rest. */
  end(): string
}

/** Is told each value that the hub knows exactly and that stood in a text. */
export type NoteKnown = (value: string) => void

export interface Redactor {
  /** The text with a mark in the place of every secret. */
  redact(text: string): string
  /** The same of a text in bytes, which are valid UTF-8; they themselves where nothing is hidden. */
  redactBytes(bytes: Uint8Array): Uint8Array
  find(text: string): readonly Finding[]
  /** What `redact` takes out, in the order of the text; no piece reaches over the end of a line. */
  findHidden(text: string): readonly HiddenPiece[]
  hasSecret(text: string): boolean
  /** The same over all texts of a JSON-like value, names included. */
  redactValue(value: unknown): unknown
  stream(): RedactionStream
  /** The same redactor, which tells each value that the hub knows exactly of all whole texts it looks through. */
  noting(note: NoteKnown): Redactor
  /** What it was made with, so that another thread can make one that hides the same. */
  readonly options: RedactorOptions
}

/** Hides secrets in whatever leaves the hub. Every method throws RedactionFailed rather than let a text through. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const off = new Set(options.exceptions)
  for (const rule of off) if (!RULES.has(rule)) throw new RangeError(`no such redaction rule: ${rule}`)
  const known = knownForms(options.environment ?? {}, options.known ?? [], secretsFinder())
  const blocks = knownBlocks(options.environment ?? {}, options.known ?? [])
  const table = anchorTable(known, (options.patterns ?? []).map(readOwnerPattern))
  const start = makeScanners(table, off)
  const seenOf = options.remembers ? rememberClean() : rememberNothing
  const lookThrough = (text: string) =>
    guarded(() => {
      const seen = seenOf(text)
      if (seen.is_clean) return []
      const { pieces } = findPieces(start(), repeats(blocks.filter(({ rule }) => !off.has(rule))), text, true)
      seen.is_clean = pieces.length === 0
      return pieces
    })
  return redactorOver(lookThrough, start, options)
}

/** But for passwords in addresses: that of a user who is called the same is an ordinary word. */
function secretsFinder(): SecretsIn {
  let start: (() => Scanner) | undefined
  return (text) => {
    start ??= makeScanners(anchorTable([], []), new Set())
    const { pieces } = findPieces(start(), repeats(), text, true)
    return pieces
      .filter(({ rule }) => rule !== 'url_password')
      .map(({ start: from, end }) => text.slice(from, end))
  }
}

type LookThrough = (text: string) => readonly FoundPiece[]

function redactorOver(look: LookThrough, start: () => Scanner, options: RedactorOptions): Redactor {
  const show = (text: string) => renderPieces(text, { pieces: look(text), done: text.length })
  const redact: Redact = Object.assign(show, { clean_names: new Set<string>() })
  const find = (text: string) => findingsOf(look(text))
  return {
    redact,
    redactBytes: (bytes) => {
      const text = guarded(() => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
      const shown = redact(text)
      return shown === text ? bytes : Buffer.from(shown)
    },
    find,
    findHidden: look,
    hasSecret: (text) => look(text).length > 0,
    redactValue: (value) => guarded(() => redactTree(value, redact)),
    stream: () => openStream(start()),
    noting: (note) => redactorOver((text) => noted(text, look(text), note), start, options),
    options,
  }
}

function noted(text: string, pieces: readonly FoundPiece[], note: NoteKnown): readonly FoundPiece[] {
  for (const { rule, start, end } of pieces) if (isKnownExactly(rule)) note(text.slice(start, end))
  return pieces
}

function guarded<Result>(act: () => Result): Result {
  try {
    return act()
  } catch (cause) {
    throw cause instanceof RedactionFailed ? cause : new RedactionFailed(cause)
  }
}

function findingsOf(pieces: readonly FoundPiece[]): Finding[] {
  const findings: Finding[] = []
  for (const { rule, guise = shownRule(rule), start, end, goesOn } of pieces) {
    const last = findings.at(-1)
    if (goesOn && last?.rule === guise) last.end = end
    else findings.push({ rule: guise, start, end, ...(isKnownExactly(rule) && { isKnown: true }) })
  }
  return findings
}

/** What was found once is hidden from then on: what has been shown before cannot be taken back. */
function openStream(scanner: Scanner): RedactionStream {
  const known = repeats()
  let held = ''
  function pass(isLast: boolean): string {
    const found = findPieces(scanner, known, held, isLast)
    const shown = renderPieces(held, found)
    held = held.slice(found.done)
    return shown
  }
  return {
    push: (chunk) =>
      guarded(() => {
        const hasLine = chunk.includes('\n')
        held += chunk
        return hasLine || held.length >= ENOUGH_CHARS ? pass(false) : ''
      }),
    end: () => guarded(() => pass(true)),
  }
}
