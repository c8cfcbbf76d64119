import { LEANINGS } from './ranking-weights.ts'
import type { UnderstoodQuery } from './understand-query.ts'

/** What counts for a query of its kind. */
export type Leaning = (typeof LEANINGS)[keyof typeof LEANINGS]

export function leaningOf({ tells_of_change, leans_to_prose, asks_for_code }: UnderstoodQuery): Leaning {
  const { change, prose, question, code } = LEANINGS
  if (tells_of_change) return change
  return asks_for_code ? question : leans_to_prose ? prose : code
}
