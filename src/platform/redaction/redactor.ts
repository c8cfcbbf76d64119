import { anchorTable } from './anchor-table.ts'
import type { Finding, HiddenPiece } from './finding.ts'
import { knownForms } from './known-values.ts'
import { type LineSieve, openLineSieve } from './line-sieve.ts'
import { readOwnerPattern } from './owner-patterns.ts'
import { redactBytes } from './redact-bytes.ts'
import { redactTree } from './redact-tree.ts'
import { rememberClean, rememberNothing } from './remember-clean.ts'
import { renderRedacted } from './render-redacted.ts'
import { RULES } from './rules.ts'
import { createScanner, ENOUGH_CHARS, type Scanner } from './scan.ts'
import { renderClaim } from './settled-claims.ts'

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
  /** What it was made with, so that another thread can make one that hides the same. */
  readonly options: RedactorOptions
}

/** Hides secrets in whatever leaves the hub. Every method throws RedactionFailed rather than let a text through. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const off = new Set(options.exceptions)
  for (const rule of off) if (!RULES.has(rule)) throw new RangeError(`no such redaction rule: ${rule}`)
  const known = knownForms(options.environment ?? {}, options.known ?? [])
  const table = anchorTable(known, (options.patterns ?? []).map(readOwnerPattern))
  const start = () => createScanner(table, off)
  const seenOf = options.remembers ? rememberClean() : rememberNothing
  const redact = (text: string) =>
    guarded(() => {
      const seen = seenOf(text)
      if (seen.is_clean) return text
      const { shown, is_clean } = renderRedacted(start(), text, true)
      seen.is_clean = is_clean
      return shown
    })
  const unlessClean =
    <Found>(list: (scanner: Scanner, text: string) => Found[]) =>
    (text: string) =>
      guarded(() => {
        const seen = seenOf(text)
        if (seen.is_clean) return []
        const found = list(start(), text)
        seen.is_clean = found.length === 0
        return found
      })
  const find = unlessClean(findAll)
  let sieve: LineSieve | undefined
  return {
    redact,
    redactBytes: (bytes) =>
      guarded(() => {
        sieve ??= openLineSieve(table)
        return redactBytes(start(), sieve, bytes)
      }),
    find,
    findHidden: unlessClean(listHidden),
    hasSecret: (text) => find(text).length > 0,
    redactValue: (value) => guarded(() => redactTree(value, redact)),
    stream: () => openStream(start()),
    options,
  }
}

function guarded<Result>(act: () => Result): Result {
  try {
    return act()
  } catch (cause) {
    throw cause instanceof RedactionFailed ? cause : new RedactionFailed(cause)
  }
}

function findAll(scanner: Scanner, text: string): Finding[] {
  const findings: Finding[] = []
  scanner.scan(text, true, ({ rule, start, end, goesOn }, offset) => {
    const last = findings.at(-1)
    if (goesOn && last?.rule === rule) last.end = offset + end
    else findings.push({ rule, start: offset + start, end: offset + end })
  })
  return findings
}

function listHidden(scanner: Scanner, text: string): HiddenPiece[] {
  const pieces: HiddenPiece[] = []
  scanner.scan(text, true, (claim, offset) => {
    pieces.push({ start: offset + claim.start, end: offset + claim.end, shown: renderClaim(claim) })
  })
  return pieces
}

function openStream(scanner: Scanner): RedactionStream {
  let held = ''
  function pass(isLast: boolean): string {
    const { shown, done } = renderRedacted(scanner, held, isLast)
    held = held.slice(done)
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
