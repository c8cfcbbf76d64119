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

/** An agent at a seat of the toolbox, in one of these roles. */
export interface SeatAuthority {
  readonly kind: 'seat'
  readonly roles: readonly string[]
  readonly otherwise: string
}

/** An agent at any seat of the toolbox, to ask about the seat itself; such an operation is never one of its tools. */
export interface AnySeatAuthority {
  readonly kind: 'any_seat'
  readonly otherwise: string
}

/** The owner, in person or by an agent the owner approved; such an operation can never be an MCP tool. */
export interface OwnerSurfaceAuthority {
  readonly kind: 'owner_surface'
  /** Whether it takes the owner in person: no agent of theirs will do. */
  readonly session_only: boolean
  readonly otherwise: string
}

/** Anybody who reaches the hub, such as whoever wants to sign in; such an operation can never be an MCP tool. */
export interface VisitorAuthority {
  readonly kind: 'visitor'
  readonly otherwise: string
}

/** What no MCP client may ever be offered. */
export type ClosedToMcp = OwnerAuthority | OwnerSurfaceAuthority | VisitorAuthority | AnySeatAuthority
export type Authority = MemberAuthority | SeatAuthority | ClosedToMcp

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

/** Only the owner: at the command line on the home, or signed in. Never through MCP. */
export function hubOwner(otherwise = 'FORBIDDEN'): OwnerAuthority {
  return { kind: 'owner', otherwise }
}

/** The owner's surface: the owner, or an agent that the owner approved. */
export function ownerSurface({ session_only = false } = {}): OwnerSurfaceAuthority {
  return { kind: 'owner_surface', session_only, otherwise: 'permission_error' }
}

/** The owner in person, on the plane that only knows sessions: any other credential counts as none there. */
export function ownerSession(): OwnerSurfaceAuthority {
  return { kind: 'owner_surface', session_only: true, otherwise: 'authentication_error' }
}

/** Whoever comes, credential or not: for signing in and asking to be let in. */
export function anyVisitor(): VisitorAuthority {
  return { kind: 'visitor', otherwise: 'permission_error' }
}

/** Agents of the toolbox whose seat has one of the roles, and nobody else. */
export function seated(roles: readonly string[], otherwise: string): SeatAuthority {
  return { kind: 'seat', roles, otherwise }
}

/** Agents of the toolbox, whatever role their seat has. */
export function anySeat(otherwise = 'FORBIDDEN'): AnySeatAuthority {
  return { kind: 'any_seat', otherwise }
}

/** Whether the authority is the caller's. */
export function hasAuthority(authority: Authority, caller: Caller): boolean {
  if (authority.kind === 'visitor') return true
  if (authority.kind === 'owner') return isOwner(caller)
  if (authority.kind === 'any_seat') return caller.seat !== undefined
  if (authority.kind === 'owner_surface')
    return isOwner(caller) || (caller.kind === 'owner_agent' && !authority.session_only)
  if (authority.kind === 'seat')
    return caller.seat !== undefined && authority.roles.includes(caller.seat.role)
  if (caller.kind === 'toolbox' || caller.kind === 'owner_agent') return false
  return RIGHTS[authority.needs].includes(caller.role)
}

/**
 * Whether the caller is the owner: signed in, or at the command line on the home's own files. The hub token is neither:
 * programs carry it, and whoever has read it once could act as the owner from then on.
 */
export function isOwner(caller: Caller): boolean {
  return caller.kind === 'local' || caller.kind === 'owner_session'
}
