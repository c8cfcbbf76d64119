/** Whether a term is a word as the vector table knows it: two or more of the letters a to z. */
export function isPlainWord(term: string): boolean {
  for (let at = 0; at < term.length; at++) {
    const code = term.charCodeAt(at)
    if (code < 97 || code > 122) return false
  }
  return term.length > 1
}

/** What there is of such words in a term. */
export function readPlainWords(term: string): string[] {
  return term.match(/[a-z]{2,}/g) ?? []
}
