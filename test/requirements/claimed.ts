import { type Area, type RuleId, ruleId } from './rule-ids.ts'

/** The rules this version promises to keep, as [area, first, last]. Each needs a test that passes. */
const CLAIMED: readonly (readonly [Area, number, number])[] = [
  ['FLOW', 1, 2],
  ['FLOW', 4, 52],
  ['FLOW', 53, 68],
  ['FLOW', 70, 74],
  ['GATE', 5, 15],
  ['GATE', 17, 26],
  ['GATE', 30, 35],
  ['GATE', 42, 53],
  ['GATE', 86, 91],
  ['GATE', 94, 95],
  ['GATE', 97, 109],
  ['GATE', 112, 130],
  ['GATE', 147, 159],
  ['GATE', 161, 172],
  ['GATE', 182, 188],
]

/** Every claimed rule by its id. */
export const claimedRules: readonly RuleId[] = CLAIMED.flatMap(([area, first, last]) =>
  Array.from({ length: last - first + 1 }, (_, index) => ruleId(area, first + index)),
)
