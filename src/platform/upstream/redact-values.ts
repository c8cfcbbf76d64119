import { type Redact, redactMembers } from '../basics/redact-name.ts'
import { MAX_JSON_DEPTH } from '../basics/strict-json.ts'
import { type TextView, viewsOf } from './text-views.ts'

export const REDACTED = '[REDACTED]'

/** Shorter values would blank out ordinary words. */
const MIN_VALUE_CHARS = 6
/** Values are looked for in pieces of this size: a part of one that was cut short is hidden too. */
const PIECE_CHARS = 64
const MAX_PIECES = 1024

/**
 * Hides known credential values in a text, plain or as base64, base64url, hex, URL-encoded or
 * JSON-escaped text, and in mixtures of these. Time is linear in the text for given values.
 */
export function valueRedactor(values: readonly string[]): Redact {
  const pieces = new Set(values.flatMap(partsOf).flatMap(piecesOf))
  const needles = [...new Set([...pieces].slice(0, MAX_PIECES).flatMap(needlesOf))]
  if (needles.length === 0) return (text) => text
  const redact = (text: string) => {
    const found = viewsOf(text).flatMap((view) => rangesIn(view, needles))
    return found.length === 0 ? text : blank(text, found)
  }
  return Object.assign(redact, { clean_names: new Set<string>() })
}

/** The same over a JSON value, names included. Throws a RangeError for one nested deeper than may be sent on. */
export function redactDeep(value: unknown, redact: Redact, depth = 0): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value === 'number') return redactNumber(value, redact)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_JSON_DEPTH) throw new RangeError('nested too deep')
  if (Array.isArray(value)) return value.map((item) => redactDeep(item, redact, depth + 1))
  return redactMembers(value, redact, (held) => redactDeep(held, redact, depth + 1))
}

function redactNumber(value: number, redact: Redact): unknown {
  return redact(String(value)) === String(value) ? value : REDACTED
}

type Range = [from: number, end: number]

function rangesIn(view: TextView, needles: readonly string[]): Range[] {
  const ranges: Range[] = []
  // In a form, a space is a plus; taking one for the other everywhere hides no less.
  const text = view.text.replaceAll('+', ' ')
  for (const needle of needles) {
    for (let at = text.indexOf(needle); at !== -1; ) {
      const end = at + needle.length
      ranges.push([view.starts?.[at] ?? at, view.starts?.[end] ?? end])
      at = text.indexOf(needle, end)
    }
  }
  return ranges
}

/** Ranges that overlap or touch become one mark. */
function blank(text: string, ranges: Range[]): string {
  ranges.sort((a, b) => a[0] - b[0])
  let clean = ''
  let done = -1
  for (const [from, end] of ranges) {
    if (from > done) clean += text.slice(Math.max(done, 0), from) + REDACTED
    done = Math.max(done, end)
  }
  return clean + text.slice(done)
}

/** `Bearer x` hides x too; `Basic …` hides what it encodes; a value of several lines hides each line. */
function partsOf(value: string): string[] {
  const [, scheme = '', rest = ''] = /^([A-Za-z]+) +(.+)$/s.exec(value) ?? []
  const decoded = scheme.toLowerCase() === 'basic' ? Buffer.from(rest, 'base64').toString() : ''
  const password = decoded.slice(decoded.indexOf(':') + 1)
  const parts = [value, value.trim(), rest.trim(), decoded, password]
  return parts.flatMap((part) => part.split(/[\r\n]+/)).filter((part) => part.length >= MIN_VALUE_CHARS)
}

function piecesOf(value: string): string[] {
  const chars = [...value]
  if (chars.length <= PIECE_CHARS) return [value]
  const pieces: string[] = []
  for (let at = 0; at < chars.length; at += PIECE_CHARS) {
    // The last piece reaches back, so that no short rest stays readable.
    pieces.push(chars.slice(Math.min(at, chars.length - PIECE_CHARS), at + PIECE_CHARS).join(''))
  }
  return pieces
}

function needlesOf(piece: string): string[] {
  const bytes = Buffer.from(piece)
  const hex = bytes.toString('hex')
  const encoded = [0, 1, 2].flatMap((shift) => [
    base64(bytes, shift, 'base64'),
    base64(bytes, shift, 'base64url'),
  ])
  return [piece, hex, hex.toUpperCase(), ...encoded].map((needle) => needle.replaceAll('+', ' '))
}

/**
 * The base64 characters that depend on these bytes alone when `shift` other bytes (mod 3) stand before
 * them: a credential inside a larger encoded text is found wherever it begins.
 */
function base64(bytes: Buffer, shift: number, alphabet: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString(alphabet)
  const first = Math.ceil((shift * 8) / 6)
  return text.slice(first, Math.floor(((shift + bytes.length) * 8) / 6))
}
