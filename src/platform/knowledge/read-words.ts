import { splitTerms } from './split-terms.ts'

/** Numbers, single letters and other scripts stand between the words. */
const TERMS_FOR_A_WORD = 3

/** Plain words as the vector table knows them: terms of two or more of the letters a to z. */
export function readWords(text: string, limit: number): string[] {
  const words: string[] = []
  for (const term of splitTerms(text, limit * TERMS_FOR_A_WORD)) {
    if (words.length >= limit) break
    if (isPlain(term)) {
      if (term.length > 1) words.push(term)
    } else words.push(...(term.match(/[a-z]{2,}/g) ?? []))
  }
  return words.length > limit ? words.slice(0, limit) : words
}

function isPlain(term: string): boolean {
  for (let at = 0; at < term.length; at++) {
    const code = term.charCodeAt(at)
    if (code < 97 || code > 122) return false
  }
  return true
}
