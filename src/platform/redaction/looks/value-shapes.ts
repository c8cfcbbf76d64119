import { surprise } from './randomness.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const HEX = /^(?:0x)?[0-9a-f]+$/i
const URL_OR_PATH =
  /^(?:[a-z][a-z0-9+.-]{1,20}:\/\/|\.{0,2}\/[\w.@-]*(?:\/|$)|~\/|[A-Za-z]:\\|arn:|urn:|(?:[a-z0-9-]{1,40}\.){1,3}(?:com|org|io|net|dev|in)(?:\/|:\d{2,5}$)|(?:npm|workspace|file|link|catalog|github):(?=[\w@^~*./-]))/i
const CODE =
  /^(?:[A-Za-z_$][\w$]*(?:\(|\[|\.[A-Za-z_$]|->|::|\?\.|!?[;)\]}]*$)|[({[!&*|<]|(?:new|await|async|return|function|lambda|typeof|not|await)\b|=>|process\.env|os\.|\d+(?:[.,]\d+)*[a-z%]{0,3}[)\]};]*$)/
const PUBLIC_KEY =
  /^(?:(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-\w+) AAAA|AAAA(?:[BC]3NzaC1|E2VjZHNh|GnNrLXNz|InNrLWVj)|MI(?:GfMA0G|IB[IoC]jANB|ICIjANB)|MFkwEwYH|MCowBQYD|age1[02-9ac-hj-np-z]{58}$)/
const CONSTANT = /^_{0,2}[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)+$/
/** Each part is letters, or letters and a size: `DH_KEM_P521_HKDF_SHA512`. */
const SIZED_CONSTANT = /^(?:[A-Z]{1,10}\d{0,4}|\d{1,4})(?:_(?:[A-Z]{1,10}\d{0,4}|\d{1,4})){2,}$/
const ALGORITHM = /(?:^|[_.-])(?:SHA|AES|RSA|HMAC|ECDSA|ECDHE?|PBKDF|HKDF|CHACHA|Hmac|Aes|Rsa|ChaCha)/
/** What joins the words of any of these. */
const JOINED = /[_.+-]/
const SIZED_WORD = /^[A-Za-z]{0,12}\d{0,4}[A-Za-z]{0,12}$/
/** As Java writes them: `HmacSHA256`, `PBKDF2WithHmacSHA1`. */
const HUMPED_ALGORITHM =
  /^(?:[A-Z][A-Z0-9]{2,7}[Ww]ith)?(?:Hmac|HMAC|RSA|DSA|ECDSA)?(?:SHA|MD)\d{1,3}(?:and[A-Z]{2,8}|[Ww]ith[A-Z]{2,8})?$/
const MAX_DECODED_CHARS = 256
const MAX_ALGORITHM = { chars: 64, parts: 8 }

export function isUuid(value: string): boolean {
  return value.length === 36 && UUID.test(value)
}

export function isHex(value: string): boolean {
  return HEX.test(value)
}

/** An address or a place in a file tree rather than a value. */
export function isUrlOrPath(value: string): boolean {
  return (value.includes('/') || value.includes(':')) && URL_OR_PATH.test(value)
}

/** The public half of a key: of SSH, with or without the word for its kind, or as certificates hold it. */
export function isPublicKey(value: string): boolean {
  return PUBLIC_KEY.test(value)
}

/** An expression of a programming language, as far as its beginning tells. */
export function isCode(value: string): boolean {
  return CODE.test(value) && !isMisnested(value)
}

/** Upper case words joined by lines: the name of a constant. */
export function isConstantName(value: string): boolean {
  if (!JOINED.test(value) || isUuid(value)) return HUMPED_ALGORITHM.test(value)
  if (SIZED_CONSTANT.test(value) || isAlgorithm(value)) return true
  return CONSTANT.test(value) && surprise(value) < (value.includes('_') ? 5.8 : 5)
}

/** `ECDHE-RSA-AES128-GCM-SHA256`, `PBKDF2-HMAC-SHA256`, `ECDH-ES+A128KW` */
function isAlgorithm(value: string): boolean {
  if (value.length > MAX_ALGORITHM.chars || !ALGORITHM.test(value)) return false
  const parts = value.split(/[_.+-]/)
  return (
    parts.length > 1 && parts.length <= MAX_ALGORITHM.parts && parts.every((part) => SIZED_WORD.test(part))
  )
}

/** A bracket closes another kind than was opened last: no code does that. */
export function isMisnested(value: string): boolean {
  if (!/[)\]}]/.test(value)) return false
  const closers: number[] = []
  const end = Math.min(value.length, 200)
  for (let at = 0; at < end; at++) {
    const code = value.charCodeAt(at)
    if (code === 40) closers.push(41)
    else if (code === 91 || code === 123) closers.push(code + 2)
    else if ((code === 41 || code === 93 || code === 125) && closers.length > 0 && closers.pop() !== code)
      return true
  }
  return false
}

/** Base64 of at least a few bytes that all are printable characters. */
export function isEncodedText(value: string): boolean {
  if (value.length < 16 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return false
  // Read by hand: with chance, one of the first few bytes tells already.
  let [held, bits] = [0, 0]
  const end = Math.min(value.indexOf('=') >>> 0, value.length, MAX_DECODED_CHARS)
  for (let at = 0; at < end; at++) {
    held = ((held << 6) | base64Digit(value.charCodeAt(at))) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    if (!isPrintable((held >> bits) & 0xff)) return false
  }
  return true
}

/** The number that a character of base64 stands for, in either alphabet. */
function base64Digit(code: number): number {
  if (code >= 97) return code - 71
  if (code >= 65 && code <= 90) return code - 65
  if (code >= 48 && code <= 57) return code + 4
  // `+` and `-`, `/` and `_`.
  return code === 43 || code === 45 ? 62 : 63
}

function isPrintable(byte: number): boolean {
  return byte === 9 || byte === 10 || byte === 13 || (byte >= 32 && byte < 127)
}
