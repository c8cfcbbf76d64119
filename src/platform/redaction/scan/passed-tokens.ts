/** Tokens of a line that were looked at and left, so that another look at the same line need not judge them again. */
export interface PassedTokens {
  /** Takes note of a token by all that it was judged by, which is told only if there is another look. */
  add(sight: () => string): void
  has(sight: () => string): boolean
  /** From here on the line is looked at again. */
  lookAgain(): void
}

export function passedTokens(): PassedTokens {
  let noted: (() => string)[] = []
  const seen = new Set<string>()
  return {
    add: (sight) => noted.push(sight),
    has: (sight) => seen.size > 0 && seen.has(sight()),
    lookAgain: () => {
      for (const sight of noted) seen.add(sight())
      noted = []
    },
  }
}
