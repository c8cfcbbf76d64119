import { isExactNumber } from '../../../boundary/exact-number.ts'
import { MAX_JSON_DEPTH, type StrictJsonReason } from '../../../platform/basics/strict-json.ts'

const BLANKS = /[ \t\n\r]*/y
const PLAIN = /[^"\\\p{Cc}]*/uy
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y
/** JSON takes these control signs inside a string; the ones below a blank it does not. */
const ALLOWED_CONTROL = /[\u007f-\u009f]/y

/** Thrown where the text goes wrong. */
class Fault extends Error {
  readonly at: number

  constructor(at: number) {
    super('JSON goes wrong here')
    this.at = at
  }
}

/** Where a text that was refused for this reason goes wrong, in words; the text itself is never quoted. */
export function placeOfJsonFault(text: string, reason: StrictJsonReason): string {
  const at = faultAt(text, reason)
  const before = text.slice(0, at).split('\n')
  const column = [...(before.at(-1) ?? '')].length + 1
  return `line ${before.length}, column ${column}`
}

function faultAt(text: string, reason: StrictJsonReason): number {
  const reader = new JsonReader(text, reason)
  try {
    reader.readValue(1)
    reader.take(BLANKS)
    return reader.at
  } catch (error) {
    if (error instanceof Fault) return error.at
    throw error
  }
}

/** Reads JSON without keeping it, to find the first place that is wrong in the way that is looked for. */
class JsonReader {
  at = 0
  private readonly text: string
  private readonly reason: StrictJsonReason

  constructor(text: string, reason: StrictJsonReason) {
    this.text = text
    this.reason = reason
  }

  take(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0] ?? ''
    this.at += found.length
    return found
  }

  /** Recursion is bounded: what is nested deeper is a fault. */
  readValue(depth: number): void {
    this.take(BLANKS)
    const first = this.text[this.at]
    if (first === '"') this.readString()
    else if (first !== '{' && first !== '[') this.readWord()
    else if (depth > MAX_JSON_DEPTH) throw new Fault(this.at)
    else if (first === '{') this.readMembers(depth)
    else this.readItems(depth)
  }

  private isNext(sign: string): boolean {
    this.take(BLANKS)
    return this.text[this.at] === sign
  }

  private expect(sign: string): void {
    if (!this.isNext(sign)) throw new Fault(this.at)
    this.at++
  }

  private readString(): string {
    const start = this.at
    this.expect('"')
    while (this.text[this.at] !== '"')
      if (this.take(PLAIN) + this.take(ESCAPE) + this.take(ALLOWED_CONTROL) === '') throw new Fault(this.at)
    this.at++
    return JSON.parse(this.text.slice(start, this.at)) as string
  }

  private readWord(): void {
    const start = this.at
    const number = this.take(NUMBER)
    if (number === '' && this.take(WORD) === '') throw new Fault(start)
    if (number !== '' && !isKept(number, this.reason)) throw new Fault(start)
  }

  private readMembers(depth: number): void {
    this.at++
    if (this.isNext('}')) return void this.at++
    const names = new Set<string>()
    do {
      if (names.size > 0) this.at++
      this.take(BLANKS)
      const start = this.at
      const name = this.readString()
      if (this.reason === 'duplicate_key' && names.has(name)) throw new Fault(start)
      names.add(name)
      this.expect(':')
      this.readValue(depth + 1)
    } while (this.isNext(','))
    this.expect('}')
  }

  private readItems(depth: number): void {
    this.at++
    if (this.isNext(']')) return void this.at++
    for (this.readValue(depth + 1); this.isNext(','); this.readValue(depth + 1)) this.at++
    this.expect(']')
  }
}

function isKept(number: string, reason: StrictJsonReason): boolean {
  if (reason === 'number_too_large') return Number.isFinite(Number(number))
  return reason !== 'number_changes' || isExactNumber(number)
}
