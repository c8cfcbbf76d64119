import { isPlainVariable } from './environment-names.ts'

/** Shorter values would blank out ordinary words. */
const MIN_CHARS = 6
/** Longer values are hidden piece by piece: each piece is looked for on its own. */
const PIECE_CHARS = 256
const MAX_VALUES = 1_000

/** A text that is to be hidden wherever it stands. */
export interface KnownForm {
  text: string
  rule: 'known_value' | 'environment_value'
}

/** The values of an environment and the ones given, in every form they may be printed in. */
export function knownForms(
  environment: Record<string, string | undefined>,
  known: readonly string[],
): KnownForm[] {
  const variables = Object.entries(environment).filter(([name]) => !isPlainVariable(name))
  if (variables.length + known.length > MAX_VALUES) throw new RangeError('too many values to hide')
  const forms = new Map<string, KnownForm>()
  for (const value of known) addForms(forms, value, 'known_value')
  for (const [, value] of variables) addForms(forms, value ?? '', 'environment_value')
  // Of two forms that begin alike the longer one has to be tried first.
  return [...forms.values()].toSorted((a, b) => b.text.length - a.text.length)
}

function addForms(forms: Map<string, KnownForm>, value: string, rule: KnownForm['rule']): void {
  for (const part of [value, value.trim(), ...value.split(/\r?\n/)].filter(isLongEnough)) {
    if (part.includes('\n')) continue
    for (const piece of piecesOf(part)) {
      for (const text of formsOf(piece))
        if (isLongEnough(text) && !forms.has(text)) forms.set(text, { text, rule })
    }
  }
}

function isLongEnough(value: string): boolean {
  return value.length >= MIN_CHARS
}

function piecesOf(value: string): string[] {
  if (value.length <= PIECE_CHARS) return [value]
  const pieces: string[] = []
  for (let at = 0; at < value.length; at += PIECE_CHARS) {
    // The last piece reaches back, so that no short rest stays readable.
    pieces.push(value.slice(Math.min(at, value.length - PIECE_CHARS), at + PIECE_CHARS))
  }
  return pieces
}

/** Plain, escaped for JSON, for addresses and for forms, as hexadecimal, and as base64 wherever it begins. */
function formsOf(piece: string): string[] {
  const bytes = Buffer.from(piece)
  const json = JSON.stringify(piece).slice(1, -1)
  const percent = encodeUtf8(piece)
  const hex = bytes.toString('hex')
  const encoded = [0, 1, 2].map((shift) => base64Core(bytes, shift)).filter((text) => text.length >= 8)
  const web = encoded.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  const inAddress = encoded.map((text) => encodeURIComponent(text))
  return [
    piece,
    json,
    json.replaceAll('/', '\\/'),
    JSON.stringify(json).slice(1, -1),
    percent,
    percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    percent.replaceAll('%20', '+'),
    hex,
    hex.toUpperCase(),
    ...encoded,
    ...web,
    ...inAddress,
  ]
}

/** Half of a surrogate pair has no form in an address. */
function encodeUtf8(piece: string): string {
  return encodeURIComponent(piece.toWellFormed())
}

/** The base64 characters that depend on these bytes alone when `shift` other bytes stand before them. */
function base64Core(bytes: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
  return text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6))
}
