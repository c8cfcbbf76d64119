const DISGUISED = /&(?:quot|apos|#3[49]|#x2[27]);|\\u00(?:2[2-7]|3[aAdD])|%(?:22|26|27|3[AD])/gi
/** Found faster than by a pattern. */
const SIGNS = ['&', '%3', '\\u00']
/** One of these has to be there before the rest is of any use. */
const GIVES = /&(?:quot|apos|#3[49]|#x2[27]);|\\u00(?:22|27|3[ad])|%3[ad]/i

/** JSON within JSON: each time that a text is written into another one, more backslashes stand before its quotes. */
const ESCAPED = /\\{2,}(["'])/g
/** What stands before a quote that opens a text. */
const OPENER = '{[,:=( '

/** The same line with one quote, and blanks, for each that is escaped more than once; as long as before. */
export function unescapedForm(line: string): string | undefined {
  if (!line.includes('\\\\"') && !line.includes("\\\\'")) return undefined
  return line.replace(ESCAPED, (written, quote: string, at: number) => {
    const blank = ' '.repeat(written.length - 1)
    // The quote stands next to what it holds.
    return at === 0 || OPENER.includes(line[at - 1] as string) ? blank + quote : quote + blank
  })
}

/**
 * A line whose quotes and signs are written for a web page, an address or a JSON text, with the plain signs
 * in their places and as long as before, so that spans of the one are spans of the other.
 */
export function plainForm(line: string): string | undefined {
  if (!SIGNS.some((sign) => line.includes(sign)) || !GIVES.test(line)) return undefined
  let isOpen = false
  return line.replace(DISGUISED, (written) => {
    const sign = signOf(written)
    const blank = ' '.repeat(written.length - 1)
    if (sign !== '"') return sign + blank
    isOpen = !isOpen
    // The quote stands next to what it holds.
    return isOpen ? blank + sign : sign + blank
  })
}

function signOf(written: string): string {
  if (written.endsWith('26')) return '&'
  if (/3d$/i.test(written)) return '='
  if (/3a$/i.test(written)) return ':'
  return '"'
}
