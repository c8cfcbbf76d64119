import { readFileSync } from 'node:fs'

/** A question as it is asked of a repository that somebody else wrote, and where its answer stands. */
export type Question = readonly [question: string, ...paths: string[]]
type Questions = Readonly<Record<string, readonly Question[]>>

/**
 * Written by reading the code, in words of our own. Those of `TUNED` were looked at while the ranking was changed;
 * those of `APART` were not.
 */
export const { tuned: TUNED, apart: APART } = JSON.parse(
  readFileSync(new URL('./knowledge-questions.json', import.meta.url), 'utf8'),
) as { tuned: Questions; apart: Questions }
