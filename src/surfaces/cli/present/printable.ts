// Controls drive a terminal; bidirectional marks, separators and invisible characters deceive a reader.
const DECEIVING = /(?!\n)[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|\p{Cs}/gu

/** A text that is safe to show: whatever could drive the terminal or hide is spelled out. Lines stay lines. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\t', '    ').replace(DECEIVING, spelledOut)
}

/** A text that is safe to show on one line. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', ' ')
}

function spelledOut(character: string): string {
  const code = character.charCodeAt(0)
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`
}
