/** A text with its escapes undone, and where each of its characters stood in the original. */
export interface TextView {
  readonly text: string
  /** Offset in the original of each character, and of the end; absent when nothing was changed. */
  readonly starts: Uint32Array | undefined
}

const PERCENT = 0x25
const BACKSLASH = 0x5c
const SMALL_U = 0x75

/** What an escape stands for: a code point, and how many characters of the text it takes. None: 0. */
interface Escape {
  point: number
  length: number
}

interface Decoder {
  readonly mark: number
  /** Reads the escape at a place where the mark stands. */
  read(text: string, at: number, found: Escape): void
}

const SHORT = new Map([...'bfnrt'].map((letter, n) => [letter.charCodeAt(0), '\b\f\n\r\t'.charCodeAt(n)]))

const jsonEscapes: Decoder = {
  mark: BACKSLASH,
  read(text, at, found) {
    const code = text.charCodeAt(at + 1)
    found.length = Number.isNaN(code) ? 0 : code === SMALL_U ? 6 : 2
    found.point = code === SMALL_U ? readHex(text, at + 2, 4) : (SHORT.get(code) ?? code)
    if (found.point === -1) found.length = 0
  },
}

const percentEscapes: Decoder = {
  mark: PERCENT,
  read(text, at, found) {
    const lead = readHex(text, at + 1, 2)
    found.length = lead === -1 ? 0 : 3
    found.point = lead
    const size = sequenceSize(lead)
    if (size === 1) return
    let point = lead & (0xff >> (size + 1))
    for (let n = 1; n < size; n++) {
      const next = text.charCodeAt(at + n * 3) === PERCENT ? readHex(text, at + n * 3 + 1, 2) : -1
      // Bytes that are no UTF-8 stand for themselves.
      if (next === -1 || (next & 0xc0) !== 0x80) return
      point = (point << 6) | (next & 0x3f)
    }
    found.length = size * 3
    found.point = point
  },
}

function sequenceSize(lead: number): number {
  if (lead < 0xc0 || lead > 0xf4) return 1
  if (lead < 0xe0) return 2
  return lead < 0xf0 ? 3 : 4
}

/** The number of so many hex digits, or -1. */
function readHex(text: string, at: number, digits: number): number {
  let value = 0
  for (let n = 0; n < digits; n++) {
    const code = text.charCodeAt(at + n) | 0x20
    const digit = code >= 0x61 && code <= 0x66 ? code - 0x57 : text.charCodeAt(at + n) - 0x30
    if (!(digit >= 0 && digit <= 15) || (digit > 9 && code < 0x61)) return -1
    value = value * 16 + digit
  }
  return value
}

/** The text as it stands, and as it reads with up to two layers of URL or JSON escapes taken off. */
export function viewsOf(text: string): TextView[] {
  const plain: TextView = { text, starts: undefined }
  const once = decodings(plain)
  return [plain, ...once, ...once.flatMap(decodings)]
}

function decodings(view: TextView): TextView[] {
  return [jsonEscapes, percentEscapes].flatMap((decoder) => decode(view, decoder) ?? [])
}

// Written for speed: an answer of megabytes that is all escapes must not hold up the hub.
function decode({ text, starts: before }: TextView, { mark, read }: Decoder): TextView | undefined {
  if (!text.includes(String.fromCharCode(mark))) return undefined
  // Taking escapes off only shortens a text.
  const units = new Uint16Array(text.length)
  const starts = new Uint32Array(text.length + 1)
  const found: Escape = { point: 0, length: 0 }
  let size = 0
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    starts[size] = before ? (before[at] as number) : at
    found.length = 0
    if (code === mark) read(text, at, found)
    if (found.length > 0 && found.point > 0xffff) {
      units[size++] = 0xd800 + ((found.point - 0x10000) >> 10)
      starts[size] = starts[size - 1] as number
      units[size++] = 0xdc00 + ((found.point - 0x10000) & 0x3ff)
    } else units[size++] = found.length > 0 ? found.point : code
    at += found.length || 1
  }
  if (size === text.length) return undefined
  starts[size] = before ? (before[text.length] as number) : text.length
  return { text: Buffer.from(units.buffer, 0, size * 2).toString('utf16le'), starts }
}
