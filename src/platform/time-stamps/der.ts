/** Reading and writing DER (ITU-T X.690), as far as time stamps need it. */

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  octets: 0x04,
  nothing: 0x05,
  oid: 0x06,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** A field with a number of its own, which holds others. */
  field: (number: number) => 0xa0 + number,
} as const

/** One value with its tag. `whole` is all of it, tag and length included. */
export interface Der {
  readonly tag: number
  readonly whole: Buffer
  readonly content: Buffer
}

/** Bytes that are not what they should be. */
export class DerFault extends Error {
  override readonly name = 'DerFault'
}

/** Reads bytes that are one value and nothing more. */
export function readDer(bytes: Buffer): Der {
  const value = readAt(bytes, 0)
  if (value.whole.length !== bytes.length) throw new DerFault('Something follows the value.')
  return value
}

/** The values that one holds, in order. */
export function partsOf({ content }: Der): Der[] {
  const parts: Der[] = []
  for (let at = 0; at < content.length; at += (parts.at(-1) as Der).whole.length)
    parts.push(readAt(content, at))
  return parts
}

/** The parts of a value that has to have this tag. */
export function expectParts(value: Der | undefined, tag: number): Der[] {
  return partsOf(expectTag(value, tag))
}

export function expectTag(value: Der | undefined, tag: number): Der {
  if (value?.tag !== tag) throw new DerFault(`There is no value with tag ${tag} where one belongs.`)
  return value
}

function readAt(bytes: Buffer, at: number): Der {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f)
    throw new DerFault('The bytes are no DER.')
  const more = first < 0x80 ? 0 : first - 0x80
  // DER has no lengths that are left open, and none here is so long.
  if (first === 0x80 || more > 4 || at + 2 + more > bytes.length) throw new DerFault('A length is no DER.')
  const length = more === 0 ? first : bytes.readUIntBE(at + 2, more)
  const from = at + 2 + more
  if (from + length > bytes.length) throw new DerFault('The bytes are cut short.')
  return { tag, whole: bytes.subarray(at, from + length), content: bytes.subarray(from, from + length) }
}

/** A value of this tag that holds the pieces. */
export function writeDer(tag: number, ...pieces: Buffer[]): Buffer {
  const content = Buffer.concat(pieces)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  if (length > 0xffff) throw new DerFault('The value is too long.')
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

/** The name of an algorithm or a kind of value, in dots. */
export function readOid(value: Der | undefined): string {
  const { content } = expectTag(value, TAG.oid)
  const [first = 0, ...rest] = content
  const numbers = [Math.floor(first / 40), first % 40]
  let number = 0
  for (const byte of rest) {
    number = number * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    numbers.push(number)
    number = 0
  }
  return numbers.join('.')
}

export function writeOid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second]
  for (const number of rest) {
    const groups = [number & 0x7f]
    for (let left = number >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80)
    bytes.push(...groups)
  }
  return writeDer(TAG.oid, Buffer.from(bytes))
}

const TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d{1,9})?Z$/

/** A moment in UTC. */
export function readTime(value: Der | undefined): Date {
  const found = TIME.exec(expectTag(value, TAG.time).content.toString('latin1'))
  if (!found) throw new DerFault('A time is not in UTC.')
  const [, year, month, day, hour, minute, second, fraction = ''] = found
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${fraction.slice(0, 4)}Z`)
  if (Number.isNaN(date.getTime())) throw new DerFault('A time is none.')
  return date
}
