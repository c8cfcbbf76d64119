const ANY_MARK = /\[REDACTED(?::[a-z0-9_]{1,40})?\]/

export const MARK_START = '[REDACTED:'
export const MAX_MARK_CHARS = 64

/** Where a mark stands on a line. */
export type Mark = readonly [start: number, end: number]

/** What stands in the place of a secret; it names the rule that found it, as far as that may be told. */
export function renderMark(rule: string): string {
  return `${MARK_START}${shownRule(rule)}]`
}

/** By a name of its own, a value that is known exactly would tell whoever guesses it that the guess is right. */
const KNOWN_EXACTLY: ReadonlySet<string> = new Set(['known_value', 'environment_value'])

export function isKnownExactly(rule: string): boolean {
  return KNOWN_EXACTLY.has(rule)
}

/** The name by which a rule goes wherever an agent may read it. */
export function shownRule(rule: string): string {
  return isKnownExactly(rule) ? 'high_entropy' : rule
}

/** Whether a text carries a mark, so that writing it back would replace a secret by the mark. */
export function hasMark(text: string): boolean {
  return ANY_MARK.test(text)
}
