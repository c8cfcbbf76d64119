import { spellHidden } from './hidden-signs.ts'

// Controls drive a terminal; separators and halves of characters deceive a reader, as hidden signs do.
const DECEIVING = /(?!\n)[\p{Cc}\u2028\u2029]|\p{Cs}/gu

/** A text that is safe to show: whatever could drive a terminal or hide is spelled out. Lines stay lines. */
export function printable(text: string): string {
  const plain = text.replaceAll('\r\n', '\n').replaceAll('\t', '    ')
  return spellHidden(plain, spelledOut).replace(DECEIVING, (sign) => spelledOut(sign.charCodeAt(0)))
}

function spelledOut(code_point: number): string {
  const digits = code_point.toString(16)
  if (code_point > 0xffff) return `\\u{${digits}}`
  return code_point < 0x100 ? `\\x${digits.padStart(2, '0')}` : `\\u${digits.padStart(4, '0')}`
}
