import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import counts from './rules.json' with { type: 'json' }

export type Area = keyof typeof counts

/** A rule id of the contracts, such as FLOW-032. */
export type RuleId = `${Area}-${string}`

export const AREAS = Object.keys(counts) as Area[]

/** The id of a rule by its number. */
export function ruleId(area: Area, number: number): RuleId {
  return `${area}-${String(number).padStart(3, '0')}`
}

/** The area of an id. */
export function areaOf(id: string): string {
  return id.slice(0, id.indexOf('-'))
}

/** Where the full text of the rules lies when it is at hand: beside the checkout. */
const RULES_TEXT = join(import.meta.dirname, '../../../shared/rules.jsonl')

/** All rule ids: of the rules' text when it is at hand, else as many as were counted in it. */
export function readRuleIds(file = RULES_TEXT): string[] {
  if (!existsSync(file)) return countedRuleIds()
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => (JSON.parse(line) as { id: string }).id)
}

/** The ids that the committed counts stand for. */
export function countedRuleIds(): RuleId[] {
  return AREAS.flatMap((area) => Array.from({ length: counts[area] }, (_, index) => ruleId(area, index + 1)))
}
