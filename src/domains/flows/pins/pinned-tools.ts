import type { PinnedTool } from '../../../platform/pins/review-store.ts'
import type { VaultPolicy } from '../../../platform/policy/vault-policy.ts'
import type { AllowedTool } from '../allowlist.ts'

/** A tool of a vault with its pin, where it has one. */
export function pinnedTool(vault_id: string, { id: tool_id, pin }: AllowedTool): PinnedTool | undefined {
  return pin === undefined ? undefined : { vault_id, tool_id, pin }
}

/** Those of these tools that the vault's policy pins. */
export function pinnedTools(vault_id: string, policy: VaultPolicy, ids: readonly string[]): PinnedTool[] {
  const listed = policy.external_agent?.allowed_tools ?? []
  const wanted = listed.filter(({ id, pin }) => pin !== undefined && ids.includes(id))
  return wanted.flatMap((tool) => pinnedTool(vault_id, tool) ?? [])
}

/** Which definition of each tool counts now, by the tools' ids; undefined where none is pinned. */
export function pinsOf(policy: VaultPolicy, ids: readonly string[]): Record<string, string> | undefined {
  const pins = pinnedTools('', policy, ids).map(({ tool_id, pin }) => [tool_id, pin])
  return pins.length > 0 ? Object.fromEntries(pins) : undefined
}
