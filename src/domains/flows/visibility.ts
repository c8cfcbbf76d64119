import type { Caller } from '../../platform/identity/caller.ts'
import type { VaultRules } from '../../platform/policy/policies.ts'
import { findVisibleScopes } from '../../platform/policy/visible-scopes.ts'
import type { Scope } from './bundle/bundle-vocabulary.ts'

interface Asking {
  caller: Caller
  rules: VaultRules
  refuse(code: 'FLOW_SCOPE_AMBIGUOUS'): never
}

/** The scopes the caller may see, or the refusal that they cannot be told. */
export function requireVisibleScopes({ caller, rules, refuse }: Asking): readonly Scope[] {
  return findVisibleScopes(caller, rules) ?? refuse('FLOW_SCOPE_AMBIGUOUS')
}
