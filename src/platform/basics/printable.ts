import { spellHidden } from './hidden-signs.ts'

// Controls drive a terminal; separators and halves of characters deceive a reader, as hidden signs do.
const UNSAFE = /(?!\n)[\p{Cc}\u2028\u2029]|\p{Cs}/gu

/** A text that is safe to show: whatever could drive a terminal or hide is spelled out. Lines stay lines. */
export function printable(text: string): string {
  const plain = text.replaceAll('\r\n', '\n').replaceAll('\t', '    ')
  return spellHidden(plain, spelledOut).replace(UNSAFE, (sign) => spelledOut(sign.charCodeAt(0)))
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', ' ')
}

function spelledOut(code_point: number): string {
  const digits = code_point.toString(16)
  if (code_point > 0xffff) return `\\u{${digits}}`
  return code_point < 0x100 ? `\\x${digits.padStart(2, '0')}` : `\\u${digits.padStart(4, '0')}`
}

/**
 * What drives a terminal or turns a line around, and may stand in JSON as it is: DEL and the C1 controls, the marks and
 * overrides of writing directions, and the separators that some programs take for ends of lines.
 */
const DECEIVING = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** A text for a terminal, with such signs spelled as JSON spells them: to programs a document says the same as before. */
export function spellDeceiving(text: string): string {
  return text.replace(DECEIVING, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A number with its noun: `1 record`, `2 records`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
