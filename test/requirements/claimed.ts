import { type Area, type RuleId, ruleId } from './rule-ids.ts'

/** The rules this version promises to keep, as [area, first, last]. Each needs a test that passes. */
const CLAIMED: readonly (readonly [Area, number, number])[] = [
  ['FLOW', 1, 68],
  ['FLOW', 70, 74],
  ['GATE', 1, 40],
  ['GATE', 42, 145],
  ['GATE', 147, 196],
  ['TOOL', 1, 101],
  ['TOOL', 115, 141],
  ['BNDY', 1, 60],
  ['OWNR', 24, 24],
  ['OWNR', 28, 29],
  ['OWNR', 35, 44],
]

/** Every claimed rule by its id. */
export const claimedRules: readonly RuleId[] = CLAIMED.flatMap(([area, first, last]) =>
  Array.from({ length: last - first + 1 }, (_, index) => ruleId(area, first + index)),
)
