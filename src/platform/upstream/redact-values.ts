import { MAX_JSON_DEPTH } from '../basics/strict-json.ts'

export const REDACTED = '[REDACTED]'

/** Shorter values would blank out ordinary words. */
const MIN_VALUE_CHARS = 6
/** Longer values are hidden piece by piece, so that no pattern grows beyond what the engine takes. */
const PIECE_CHARS = 256
const MAX_PIECES = 1024

/**
 * Hides known credential values in a text, plain or as base64, base64url, hex, URL-encoded or
 * JSON-escaped text. Each form is one pattern without choice between lengths, so time is linear.
 */
export function valueRedactor(values: readonly string[]): (text: string) => string {
  const pieces = [...new Set(values.flatMap(partsOf).flatMap(piecesOf))].slice(0, MAX_PIECES)
  if (pieces.length === 0) return (text) => text
  pieces.sort((a, b) => b.length - a.length)
  const forms = new RegExp(pieces.flatMap(patternsOf).join('|'), 'g')
  return (text) => text.replace(forms, REDACTED)
}

/** The same over a JSON value, names included. Throws a RangeError for one nested deeper than may be sent on. */
export function redactDeep(value: unknown, redact: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value === 'number') return redactNumber(value, redact)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_JSON_DEPTH) throw new RangeError('nested too deep')
  if (Array.isArray(value)) return value.map((item) => redactDeep(item, redact, depth + 1))
  const members = Object.entries(value)
  return Object.fromEntries(members.map(([key, held]) => [redact(key), redactDeep(held, redact, depth + 1)]))
}

function redactNumber(value: number, redact: (text: string) => string): unknown {
  return redact(String(value)) === String(value) ? value : REDACTED
}

/** `Bearer x` hides x too; `Basic …` hides what it encodes; a file of lines hides each line. */
function partsOf(value: string): string[] {
  const [, scheme = '', rest = ''] = /^([A-Za-z]+) +(.+)$/s.exec(value) ?? []
  const decoded = scheme.toLowerCase() === 'basic' ? Buffer.from(rest, 'base64').toString() : ''
  const password = decoded.slice(decoded.indexOf(':') + 1)
  const lines = value.includes('\n') ? value.split(/\r?\n/) : []
  return [value, value.trim(), rest.trim(), decoded, password, ...lines].filter(isLongEnough)
}

function isLongEnough(value: string): boolean {
  return value.length >= MIN_VALUE_CHARS
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

function patternsOf(piece: string): string[] {
  const bytes = Buffer.from(piece)
  return [charwise(piece), hex(bytes), ...[0, 1, 2].map((shift) => base64(bytes, shift))]
}

/** Every character plain, as %XX or as \uXXXX, in any mixture: encoders differ in what they leave alone. */
function charwise(piece: string): string {
  return [...piece].map(formsOfChar).join('')
}

function formsOfChar(char: string): string {
  const bytes = [...Buffer.from(char)]
  const percent = bytes.map((byte) => `%(?:25)?${anyCase(byte.toString(16).padStart(2, '0'))}`).join('')
  const units = char.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'))
  const unicode = units.map((unit) => `\\\\{1,4}u${anyCase(unit)}`).join('')
  return `(?:${[percent, unicode, ...shortForms(char), plain(char)].join('|')})`
}

function plain(char: string): string {
  return char.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

const SHORT_ESCAPES: Record<string, string> = { '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' }

function shortForms(char: string): string[] {
  if (char === ' ') return ['\\+']
  if (char === '\\') return ['\\\\{2,4}']
  if (char === '"' || char === '/' || char === "'") return [`\\\\{1,3}${plain(char)}`]
  const letter = SHORT_ESCAPES[char]
  return letter ? [`\\\\{1,2}${letter}`] : []
}

function anyCase(digits: string): string {
  return digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}

function hex(bytes: Buffer): string {
  return anyCase(bytes.toString('hex'))
}

/**
 * The base64 characters that depend on these bytes alone when `shift` other bytes (mod 3) stand before
 * them: a credential inside a larger encoded text is found wherever it begins.
 */
function base64(bytes: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
  const first = Math.ceil((shift * 8) / 6)
  const end = Math.floor(((shift + bytes.length) * 8) / 6)
  const core = text.slice(first, end)
  return core.replace(/[+/]/g, (char) => (char === '+' ? '(?:[+-]|%2[bB])' : '(?:[/_]|%2[fF]|\\\\\\/)'))
}
