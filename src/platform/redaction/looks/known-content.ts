import { surprise } from './randomness.ts'

/** How base64 of pictures, fonts, archives, documents and programs begins. */
const FILE_START =
  /^(?:iVBORw0KGg|R0lGOD[dl]h|\/9j\/[24]|UklGR|d09GR|d09GMg|AAEAAAA[A-Z]|T1RUTw|H4sIA|UEsDBB|JVBERi0|AGFzbQE|Qk1[A-Za-z0-9]{2}|AAABAA|PHN2Z|PD94bWw)/
/** Pictures begin with what is no surprise to anyone, and may go on over many lines. */
export const CONTENT_STARTS: readonly string[] = ['ivborw0kgg', '/9j/4', 'r0lgod', ';base64,']
const OPENS = /(?:;base64,)?[A-Za-z0-9+/]{12,4096}={0,2}["'\\nr+.,\s]{0,40}$/y
/** A line of base 85: its alphabet alone, with most of the signs in it. */
const BASE85 = /^[0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~-]{50,512}$/
const MIN_SIGNS = 6
/** A certificate by its first bytes: a sequence in a sequence, version and serial number. */
const CERTIFICATE = /^MII[A-P][A-Za-z0-9+/]{2}CC[A-Za-z0-9+/]{3}(?:g|[A-Za-z0-9+/]{1,3})AwIBAgI/
/** A signature over something: two numbers. */
const SIGNATURE = /^ME[QUY]CI[A-Za-z0-9+/]/
/** `7.2+dfsg-7+deb12u18` */
const PACKAGE_VERSION = /^\d[\w.]*[+~-](?:\w+[+~.-])*(?:dfsg|git|ds|deb|really|ubuntu|nmu|b\d)/
const BOUNDARY = /^-{8,}\w|--\w{0,20}boundary|formboundary/i
const ADVISORY = /^GHSA(?:-[23456789cfghjmpqrvwx]{4}){3}$/
/** Names that compilers make of names, each with its length before it: `_ZN4auth12TokenService`. */
const MANGLED = /^(?:s|_Z\w{0,4}?)?(\d{1,2})(?=([A-Za-z_]{4,}))\2\w*$/
const MAX_MANGLED_BITS = 4.8
/** Names of hosts in other scripts, and of classes as the Java machine writes them. */
const WRITTEN_NAME =
  /^(?:[Xx]n--[A-Za-z0-9-]+|[HSP]{0,3}L[a-z][a-z0-9]{1,20}(?:\/[a-z][a-z0-9]{0,20}){0,9}\/[A-Z][A-Za-z]{2,40}\d{0,2})$/
/** So many characters in an order that no chance makes. */
const MIN_ALPHABET_CHARS = 20
const MIN_DISTINCT_CHARS = 30

/** Base64 of a file, a certificate or a signature. */
export function isKnownContent(token: string): boolean {
  return FILE_START.test(token) || CERTIFICATE.test(token) || SIGNATURE.test(token)
}

/** Whether a file or a certificate begins at `at` and is not at its end where the line is. */
export function opensContent(line: string, at: number): boolean {
  OPENS.lastIndex = at
  return OPENS.test(line) && (line.startsWith(';', at) || isKnownContent(line.slice(at, at + 40)))
}

/** A line of a file in the clothes of a text, in base 85. */
export function isBase85Line(line: string): boolean {
  return BASE85.test(line) && new Set(line.match(/[!#$%()*;<>?@^`{|}~]/g)).size >= MIN_SIGNS
}

/** What parts the pieces of a mail or a form, the number of an advisory, a name made by a compiler. */
export function isMadeName(token: string): boolean {
  return (
    BOUNDARY.test(token) ||
    PACKAGE_VERSION.test(token) ||
    ADVISORY.test(token) ||
    WRITTEN_NAME.test(token) ||
    isMangled(token)
  )
}

function isMangled(token: string): boolean {
  const found = MANGLED.exec(token)
  const name = found?.[2]?.slice(0, Number(found[1])) ?? ''
  return name.length >= 4 && name.length === Number(found?.[1]) && surprise(name) < MAX_MANGLED_BITS
}

/** The characters of an alphabet, in their order or each but once. */
export function isAlphabet(token: string): boolean {
  if (token.length < MIN_ALPHABET_CHARS || token.length > 96) return false
  if (token.length >= MIN_DISTINCT_CHARS && areDistinct(token)) return true
  let [up, down] = [0, 0]
  for (let at = 1; at < token.length; at++) {
    const step = token.charCodeAt(at) - token.charCodeAt(at - 1)
    if (step === 1 || step === 2) up++
    else if (step === -1 || step === -2) down++
  }
  return Math.max(up, down) >= token.length * 0.75
}

/** In what chance makes, one of the first few comes again. */
function areDistinct(token: string): boolean {
  for (let at = 0; at < token.length; at++) {
    if (token.indexOf(token[at] as string, at + 1) >= 0) return false
  }
  return true
}

/** A place in a file tree: it begins at the root or at a home, and words lead there. */
export function isPlace(token: string): boolean {
  if (!/^(?:~|\.{0,2})\//.test(token)) return false
  return token.split('/').filter((part) => /^\.?[a-z][a-z-]{1,30}$/.test(part)).length >= 2
}
