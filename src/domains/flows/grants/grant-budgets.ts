import { z } from 'zod'
import { counted } from '../../../platform/basics/printable.ts'
import type { VaultPolicy } from '../../../platform/policy/vault-policy.ts'
import { asksFirst } from '../allowlist.ts'

const budgets = {
  calls_per_minute: z.int().optional(),
  max_payload_bytes: z.int().optional(),
  max_result_bytes: z.int().optional(),
}

/** What the policy bounds a grant's calls by, beside their count; `tools` are bounds of all grants together. */
export const GrantBudgets = z.strictObject({
  ...budgets,
  tools: z
    .record(
      z.string(),
      z.strictObject({ ...budgets, approval: z.enum(['first_call', 'each_call']).optional() }),
    )
    .optional(),
})
export type GrantBudgets = z.infer<typeof GrantBudgets>

/** Undefined where the policy has none for these tools. */
export function budgetsFor(
  { external_agent }: VaultPolicy,
  tools: readonly string[],
): GrantBudgets | undefined {
  const listed = external_agent?.allowed_tools?.filter(({ id }) => tools.includes(id)) ?? []
  const ofTools = listed.map((tool) => {
    const asking = asksFirst(tool) && { approval: tool.approval }
    return [tool.id, { ...chosen(tool), ...asking }] as const
  })
  const bounded = ofTools.filter(([, one]) => Object.keys(one).length > 0)
  const own = chosen(external_agent ?? {})
  if (bounded.length === 0 && Object.keys(own).length === 0) return undefined
  return { ...own, ...(bounded.length > 0 && { tools: Object.fromEntries(bounded) }) }
}

type Bounds = { [Name in keyof typeof budgets]?: number | undefined }

function chosen(from: Bounds): Bounds {
  const names = Object.keys(budgets) as (keyof Bounds)[]
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])))
}

/** The bounds in words, such as `5 calls a minute, 2000 bytes sent`; empty where there are none. */
export function budgetWords({ calls_per_minute, max_payload_bytes, max_result_bytes }: Bounds): string {
  const words = [
    calls_per_minute !== undefined && `${counted(calls_per_minute, 'call')} a minute`,
    max_payload_bytes !== undefined && `${counted(max_payload_bytes, 'byte')} sent`,
    max_result_bytes !== undefined && `${counted(max_result_bytes, 'byte')} answered`,
  ]
  return words.filter((one) => one !== false).join(', ')
}
