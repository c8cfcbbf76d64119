import { isPlainVariable } from './environment-names.ts'

/** Shorter values would blank out ordinary words. */
const MIN_CHARS = 6
/** Longer values are hidden piece by piece: each piece is looked for on its own. */
const PIECE_CHARS = 256
const MAX_VALUES = 1_000
const IN_ADDRESS = /:\/\/([^\s/:@]{0,256}):([^\s/]{1,1024})@/g
const IN_SETTINGS =
  /(?:^|[;&?\s])((?:[\w-]{0,40}(?:password|passwd|secret|token|api_?key))|pwd)\s?=\s?["']?([^;&\s"']{1,1024})/gi
const LOGIN_NAME = /AUTH|LOGIN|CRED|USERPWD|PASS/i
const LOGIN = /^[\w.@-]{1,64}:([^\s/:]{6,1024})$/
const SCHEME = /^(bearer|basic|token|apikey)\s+(\S{1,4096})\s*$/i

/** A text that is to be hidden wherever it stands. */
export interface KnownForm {
  text: string
  rule: 'known_value' | 'environment_value'
}

/** Gives what a text holds of secrets that its own words tell, such as a member of JSON. */
export type SecretsIn = (text: string) => readonly string[]

/** The values of an environment and the ones given, in every form they may be printed in. */
export function knownForms(
  environment: Record<string, string | undefined>,
  known: readonly string[],
  secretsIn: SecretsIn,
): KnownForm[] {
  const variables = Object.entries(environment).filter(([name]) => !isPlainVariable(name))
  if (variables.length + known.length > MAX_VALUES) throw new RangeError('too many values to hide')
  const forms = new Map<string, KnownForm>()
  for (const value of known) addForms(forms, value, 'known_value')
  for (const [name, value = ''] of variables) {
    const login = LOGIN_NAME.test(name) ? (LOGIN.exec(value)?.[1] ?? '') : ''
    for (const text of [value, login, ...secretsIn(value)]) addForms(forms, text, 'environment_value')
  }
  // Of two forms that begin alike the longer one has to be tried first.
  return [...forms.values()].toSorted((a, b) => b.text.length - a.text.length)
}

function addForms(forms: Map<string, KnownForm>, value: string, rule: KnownForm['rule']): void {
  const add = (text: string) => {
    if (isLongEnough(text) && !forms.has(text)) forms.set(text, { text, rule })
  }
  for (const part of partsOf(value)) {
    if (!isLongEnough(part)) continue
    for (const piece of piecesOf(part)) {
      // As it stands, a text of several lines is on no line; it may be escaped or encoded on one.
      for (const text of formsOf(piece)) if (!text.includes('\n')) add(text)
    }
  }
}

/** The value, its lines, and what of it is a secret by itself: the password of an address, what a scheme carries. */
function partsOf(value: string): string[] {
  const addresses = Array.from(value.matchAll(IN_ADDRESS), ([, user, password = '']) =>
    // `postgres:postgres` would take an ordinary word out of every text.
    password === user ? '' : password,
  )
  const settings = Array.from(value.matchAll(IN_SETTINGS), ([, , password = '']) => password)
  const carried = SCHEME.exec(value)?.[2] ?? ''
  const login = /^basic /i.test(value) ? Buffer.from(carried, 'base64').toString() : ''
  const quoted = /^(["'])(.*)\1$/s.exec(value)?.[2] ?? ''
  const inner = [...addresses, ...settings, carried, login, login.slice(login.indexOf(':') + 1), quoted]
  return [value, value.trim(), ...value.split(/\r?\n/), ...inner, ...inner.map(decoded)]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Values of several lines of which some are too short to be looked for by themselves: only all of it tells. */
export function knownBlocks(
  environment: Record<string, string | undefined>,
  known: readonly string[],
): KnownForm[] {
  const blocks: KnownForm[] = []
  const add = (given: string | undefined, rule: KnownForm['rule']) => {
    const text = given?.replaceAll('\r\n', '\n').trim() ?? ''
    const isShort = (line: string) => line.trim() !== '' && !isLongEnough(line)
    if (isLongEnough(text) && text.includes('\n') && text.split('\n').some(isShort))
      blocks.push({ text, rule }, { text: text.replaceAll('\n', '\r\n'), rule })
  }
  for (const value of known) add(value, 'known_value')
  for (const [name, value] of Object.entries(environment))
    if (!isPlainVariable(name)) add(value, 'environment_value')
  return blocks
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
