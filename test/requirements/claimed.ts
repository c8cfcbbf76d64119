import { type Area, type RuleId, ruleId } from './rule-ids.ts'

/** The rules this version promises to keep, as [area, first, last]. Each needs a test that passes. */
const CLAIMED: readonly (readonly [Area, number, number])[] = [
  ['FLOW', 1, 74],
  ['GATE', 1, 196],
  ['TOOL', 1, 101],
  ['TOOL', 102, 114],
  ['TOOL', 115, 141],
  ['BNDY', 1, 60],
  ['OWNR', 1, 25],
  ['OWNR', 26, 34],
  ['OWNR', 35, 52],
  ['OWNR', 53, 61],
  ['OWNR', 62, 64],
  ['OWNR', 65, 71],
  ['OWNR', 72, 73],
  ['OWNR', 74, 78],
  ['OWNR', 79, 86],
]

/** Every claimed rule by its id. */
export const claimedRules: readonly RuleId[] = CLAIMED.flatMap(([area, first, last]) =>
  Array.from({ length: last - first + 1 }, (_, index) => ruleId(area, first + index)),
)
