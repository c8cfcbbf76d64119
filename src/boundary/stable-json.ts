import type { AgentInput } from './contract.ts'

/** JSON text with the keys of every object in order: equal values have equal texts. */
export function stableJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableJson).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, part]) => `${JSON.stringify(key)}:${stableJson(part)}`).join()}}`
}

/** Ledger ids as a set: each once, in order. */
export function lineageSet(ids: readonly string[]): string[] {
  return [...new Set(ids)].toSorted()
}

/** The text by which two submissions of one execution are compared: lineage counts as a set. */
export function comparableInput(input: AgentInput): string {
  const allowedLineage = { dependsOnLedgerIds: lineageSet(input.allowedLineage.dependsOnLedgerIds) }
  return stableJson({ ...input, allowedLineage })
}
