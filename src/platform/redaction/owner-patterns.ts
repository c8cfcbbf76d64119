/** A text the owner wants hidden, with or without what follows it. */
export interface OwnerPattern {
  prefix: string
  /** The prefix is followed by any run of token characters. */
  isOpen: boolean
}

const MIN_PREFIX_CHARS = 2
const TOKEN_RUN = /[A-Za-z0-9_~+/=.%-]{1,4096}/y

/** Reads `zz-...` (a prefix and the token that follows) or a text to be hidden as it stands. */
export function readOwnerPattern(pattern: string): OwnerPattern {
  const prefix = pattern.replace(/(?:\.{3}|…)$/, '')
  if (prefix.length < MIN_PREFIX_CHARS) throw new RangeError(`redaction pattern too short: ${pattern}`)
  return { prefix, isOpen: prefix !== pattern }
}

/** Where a match that begins at `at` ends, if there is one. */
export function findOwnerEnd(line: string, at: number, { prefix, isOpen }: OwnerPattern): number | undefined {
  if (!line.startsWith(prefix, at)) return undefined
  const isInWord = /[A-Za-z0-9]/.test(line[at - 1] ?? '') && /^[A-Za-z0-9]/.test(prefix)
  if (!isOpen) return at + prefix.length
  TOKEN_RUN.lastIndex = at + prefix.length
  const run = TOKEN_RUN.exec(line)?.[0].length ?? 0
  return run > 0 && !isInWord ? at + prefix.length + run : undefined
}
