/** What stands where the middle of a long stream was not kept. */
const GAP = /\n… \d+ bytes left out …\n/g
/** No secret is longer; a word without an end is not worth the whole stream. */
const WORD_CHARACTERS_MAX = 4_096
const BLANK = /\s/

/** Whether the middle of a stream may be missing. */
export function holdsGap(text: string): boolean {
  return text.search(GAP) >= 0
}

/** Takes the two words out that a gap has cut in half: the half of a secret is no longer known for one. */
export function withoutHalfWords(text: string): string {
  const pieces: string[] = []
  let copied = 0
  for (const { 0: gap, index } of text.matchAll(GAP)) {
    pieces.push(text.slice(copied, Math.max(copied, wordStart(text, index))), gap)
    copied = wordEnd(text, index + gap.length)
  }
  return pieces.join('') + text.slice(copied)
}

function wordStart(text: string, end: number): number {
  const least = Math.max(0, end - WORD_CHARACTERS_MAX)
  let start = end
  while (start > least && !BLANK.test(text[start - 1] as string)) start -= 1
  return start
}

function wordEnd(text: string, start: number): number {
  const most = Math.min(text.length, start + WORD_CHARACTERS_MAX)
  let end = start
  while (end < most && !BLANK.test(text[end] as string)) end += 1
  return end
}
