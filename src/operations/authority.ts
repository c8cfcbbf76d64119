import type { Caller, Role } from '../platform/identity/caller.ts'

/** A member of the vault with at least this right. */
export interface MemberAuthority {
  readonly kind: 'member'
  readonly needs: 'read' | 'write' | 'evaluate' | 'admin'
  /** The code that a member without the right gets. */
  readonly otherwise: string
}

/** The owner of the hub; such an operation can never be an MCP tool. */
export interface OwnerAuthority {
  readonly kind: 'owner'
  readonly otherwise: string
}

export type Authority = MemberAuthority | OwnerAuthority

const RIGHTS: Record<MemberAuthority['needs'], readonly Role[]> = {
  read: ['viewer', 'editor', 'evaluator', 'admin'],
  write: ['editor', 'admin'],
  evaluate: ['evaluator', 'admin'],
  admin: ['admin'],
}

/** Any member of the vault whose role has the right. */
export function vaultMember(needs: MemberAuthority['needs'], otherwise = 'FORBIDDEN'): MemberAuthority {
  return { kind: 'member', needs, otherwise }
}

/** Only whoever runs the hub: its own token, or its command line. Never through MCP. */
export function hubOwner(otherwise = 'FORBIDDEN'): OwnerAuthority {
  return { kind: 'owner', otherwise }
}

/** Whether the authority is the caller's. */
export function hasAuthority(authority: Authority, caller: Caller): boolean {
  if (authority.kind === 'owner') return caller.kind === 'hub' || caller.kind === 'local'
  return RIGHTS[authority.needs].includes(caller.role)
}
