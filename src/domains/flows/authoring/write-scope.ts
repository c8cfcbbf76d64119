import type { Caller } from '../../../platform/identity/caller.ts'
import type { Scope } from '../bundle/bundle-vocabulary.ts'
import { hasWriteAuthority } from '../write-authority.ts'

/** Whether a caller may put a flow into a scope: it has to see the scope and its role has to reach there. */
export function mayWriteScope(caller: Caller, visible: readonly Scope[], scope: Scope): boolean {
  return visible.includes(scope) && hasWriteAuthority(caller, scope)
}
