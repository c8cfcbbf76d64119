export const ROLES = ['viewer', 'editor', 'evaluator', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** How a caller proved who it is. `local` is a person or program that can open the home's files itself. */
export const CALLER_KINDS = ['anonymous', 'hub', 'token', 'gateway', 'local'] as const
export type CallerKind = (typeof CALLER_KINDS)[number]

/** Who is calling, as far as it was proven. Built by the surfaces' authentication, never from an input. */
export interface Caller {
  readonly kind: CallerKind
  /** The credential's or user's id: fit for the audit log, useless as a secret. */
  readonly id: string
  readonly role: Role
  /** The vaults the credential opens. */
  readonly vaults: readonly string[] | '*'
  /** The kind of program that calls, of a fixed list. */
  readonly client: string
}

/** A caller nobody vouches for. */
export function anonymous(client: string): Caller {
  return { kind: 'anonymous', id: '-', role: 'viewer', vaults: [], client }
}

/** Whoever may open the home's database may also do so through our command line. */
export function localCaller(client: string): Caller {
  return { kind: 'local', id: 'local', role: 'admin', vaults: '*', client }
}
