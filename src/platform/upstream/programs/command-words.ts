const PIECE = /"[^"]*"|'[^']*'|[^\s"']+/gy
const SPACE = /[ \t]+/y

/**
 * The words of a command: they are split at spaces and tabs, and quotes of either kind keep what is between them
 * together. Nothing else has a meaning: no `$`, no `~`, no `*`, no backslash. Undefined where a quote is left open.
 */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = []
  let at = 0
  while (at < text.length) {
    at = endOf(SPACE, text, at) ?? at
    if (at === text.length) break
    let word = ''
    for (let end = endOf(PIECE, text, at); end !== undefined; end = endOf(PIECE, text, at)) {
      const piece = text.slice(at, end)
      word += /^["']/.test(piece) ? piece.slice(1, -1) : piece
      at = end
    }
    if (at < text.length && !/[ \t]/.test(text[at] as string)) return undefined
    words.push(word)
  }
  return words
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  const sticky = new RegExp(pattern.source, 'y')
  sticky.lastIndex = at
  return sticky.exec(text) ? sticky.lastIndex : undefined
}
