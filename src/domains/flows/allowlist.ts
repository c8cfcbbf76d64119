import { keptWith } from '../../platform/basics/kept-with.ts'
import type { AllowedTool, VaultPolicy } from '../../platform/policy/vault-policy.ts'
import type { FlowStepDraft } from './bundle/flow-record.ts'

export type { AllowedTool }

// A policy object stands for one revision of the file, so its list is laid out once.
const toolsOf = keptWith(
  ({ external_agent }: VaultPolicy): ReadonlyMap<string, AllowedTool> =>
    new Map((external_agent?.allowed_tools ?? []).map((tool) => [tool.id, tool])),
)

/** The external tools that the owner lists for the vault, by id. */
export function allowedToolIds(policy: VaultPolicy): { has(id: string): boolean } {
  return toolsOf(policy)
}

/** A tool of the allowlist that was checked to be on it. */
export function requireAllowedTool(policy: VaultPolicy, id: string): AllowedTool {
  const tool = toolsOf(policy).get(id)
  if (!tool) throw new Error('The tool is not on the allowlist.')
  return tool
}

/** The external tools that the steps declare, each once, in order. What their texts say counts for nothing. */
export function declaredTools(steps: readonly Pick<FlowStepDraft, 'skill_refs'>[]): string[] {
  const refs = steps.flatMap((step) => step.skill_refs ?? [])
  const ids = refs.filter((ref) => ref.kind === 'external_tool').map((ref) => ref.id)
  return [...new Set(ids)].toSorted()
}

/** The tools that the steps declare and the vault allows, in order: what a grant can be minted for. */
export function offeredTools(
  steps: readonly Pick<FlowStepDraft, 'skill_refs'>[],
  policy: VaultPolicy,
): string[] {
  const allowed = allowedToolIds(policy)
  return declaredTools(steps).filter((tool) => allowed.has(tool))
}
