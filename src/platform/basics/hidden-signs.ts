/**
 * Signs that show nothing, and so could carry a text that no reader sees: format characters, whatever Unicode has
 * renderers ignore (variation selectors, tags, fillers), and the empty Braille pattern. The one selector that asks for
 * a coloured picture stays where it follows a picture.
 */
const HIDDEN =
  /(?<!\p{Extended_Pictographic})\ufe0f|(?!\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu

const PLAIN_JSON = /^[ -~]*$/

/** A code point as a text that can be seen. */
export function spellCodePoint(code_point: number): string {
  return `\\u{${code_point.toString(16)}}`
}

/** A text in which every sign that shows nothing is spelled out. */
export function spellHidden(text: string, spell = spellCodePoint): string {
  return text.replace(HIDDEN, (sign) => spell(sign.codePointAt(0) as number))
}

/** The same JSON, in which every sign that shows nothing is written as an escape: what it says stays as it is. */
export function escapeHidden(json: string): string {
  return PLAIN_JSON.test(json) ? json : spellHidden(json, escapeSign)
}

function escapeSign(code_point: number): string {
  const sign = String.fromCodePoint(code_point)
  return Array.from({ length: sign.length }, (_, at) => escapeUnit(sign.charCodeAt(at))).join('')
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}

/** Whether a text shows nothing at all. */
export function isBlank(text: string): boolean {
  return text.replace(HIDDEN, '').trim() === ''
}
