import type { ApprovalMode } from '../../platform/approvals/approval.ts'
import type { AllowedTool, VaultPolicy } from '../../platform/policy/vault-policy.ts'
import type { FlowStepDraft } from './bundle/flow-record.ts'

export type { AllowedTool }

/** The ids of the external tools that the owner lists for the vault. */
export function allowedToolIds({ external_agent }: VaultPolicy): ReadonlySet<string> {
  return new Set(external_agent?.allowed_tools?.map(({ id }) => id))
}

/** A tool for the audit log: only a name that the owner listed may stand there, anything else is the caller's own text. */
export function listedTarget(tool_id: string, policy: VaultPolicy): { kind: string; id: string } | undefined {
  return allowedToolIds(policy).has(tool_id) ? { kind: 'external_tool', id: tool_id } : undefined
}

/** A tool of the allowlist that was checked to be on it. */
export function requireAllowedTool({ external_agent }: VaultPolicy, id: string): AllowedTool {
  const tool = external_agent?.allowed_tools?.find((one) => one.id === id)
  if (!tool) throw new Error('The tool is not on the allowlist.')
  return tool
}

/** A tool that waits for the owner's word. */
export type AskingTool = AllowedTool & { approval: ApprovalMode }

export function asksFirst(tool: AllowedTool): tool is AskingTool {
  return tool.approval === 'each_call' || tool.approval === 'first_call'
}

/** Whether and when the tool asks, in words for its owner; empty where it does not. */
export function approvalWords({ approval = 'never' }: AllowedTool): string {
  return ASKS[approval]
}

const ASKS = {
  never: '',
  each_call: 'asks you first, at each call',
  first_call: 'asks you first, once for arguments of each shape',
} as const

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
