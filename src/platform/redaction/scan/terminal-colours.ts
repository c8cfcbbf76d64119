const ESCAPE = String.fromCharCode(27)
/** What sets colours in a terminal, as such and as JSON writes it. */
const COLOUR = new RegExp(`(?:${ESCAPE}|\\\\u001b)\\[[0-9;:?]{0,24}[A-Za-z]`, 'gi')
/** No such sequence is longer. */
export const MAX_COLOUR_CHARS = 32

/**
 * A text with spaces in the place of colours, as long as before: a colour ends in a letter, which would
 * otherwise begin or end the word beside it.
 */
export function withoutColours(text: string): string {
  if (![`${ESCAPE}[`, '\\u001b[', '\\u001B['].some((sign) => text.includes(sign))) return text
  return text.replace(COLOUR, (colour) => ' '.repeat(colour.length))
}
