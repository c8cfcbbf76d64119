import { type Area, type RuleId, ruleId } from './rule-ids.ts'

/** The rules this version promises to keep, as [area, first, last]. Each needs a test that passes. */
const CLAIMED: readonly (readonly [Area, number, number])[] = [
  ['FLOW', 1, 2],
  ['FLOW', 4, 52],
  ['FLOW', 70, 70],
]

/** Every claimed rule by its id. */
export const claimedRules: readonly RuleId[] = CLAIMED.flatMap(([area, first, last]) =>
  Array.from({ length: last - first + 1 }, (_, index) => ruleId(area, first + index)),
)
