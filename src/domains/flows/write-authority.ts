import type { Caller } from '../../platform/identity/caller.ts'
import type { Scope } from './bundle/bundle-vocabulary.ts'

/** Whether a caller may change what lies in a scope: personal and project any editor, org an admin. */
export function hasWriteAuthority(caller: Caller, scope: Scope): boolean {
  if (caller.role === 'admin') return true
  return caller.role === 'editor' && scope !== 'org'
}
