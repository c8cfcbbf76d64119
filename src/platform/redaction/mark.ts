const ANY_MARK = /\[REDACTED(?::[a-z0-9_]{1,40})?\]/

export const MARK_START = '[REDACTED:'
export const MAX_MARK_CHARS = 64

/** Where a mark stands on a line. */
export type Mark = readonly [start: number, end: number]

/** What stands in the place of a secret; it names the rule that found it. */
export function renderMark(rule: string): string {
  return `${MARK_START}${rule}]`
}

/** Whether a text carries a mark, so that writing it back would replace a secret by the mark. */
export function hasMark(text: string): boolean {
  return ANY_MARK.test(text)
}
