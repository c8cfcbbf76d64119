import type { Caller } from '../identity/caller.ts'
import type { VaultRules } from './policies.ts'
import { SCOPES, type Scope } from './scopes.ts'

/**
 * The scopes a caller may see in a vault, narrowest first; undefined when they cannot be told: the owner
 * marked the caller ambiguous, or the file that could narrow it is damaged.
 */
export function findVisibleScopes(
  caller: Pick<Caller, 'id' | 'role'>,
  rules: Pick<VaultRules, 'members'>,
): readonly Scope[] | undefined {
  if (rules.members.damaged) return undefined
  const overrides = rules.members.value.scope_overrides ?? {}
  const override = Object.hasOwn(overrides, caller.id) ? overrides[caller.id] : undefined
  if (!override) return scopesOfRole(caller.role)
  return 'scopes' in override ? SCOPES.filter((scope) => override.scopes.includes(scope)) : undefined
}

/** What a role may see where nothing else is said. */
export function scopesOfRole(role: string): readonly Scope[] {
  if (role === 'admin') return SCOPES
  return role === 'editor' ? ['personal', 'project'] : ['personal']
}
