export const LOCK_KINDS = ['agent', 'service', 'all'] as const
export type LockKind = (typeof LOCK_KINDS)[number]

/** The id of a lock on everything. */
export const EVERYTHING = '*'

/** No id is longer: the index of every database takes it. */
export const LOCK_ID_LIMIT = 512

/** Something that the owner has stopped: an agent, a service's folder, or all calls. */
export interface Lock {
  readonly kind: LockKind
  /** Which agent (or credential, or grant), which folder; `*` for everything. */
  readonly id: string
  readonly reason: string | null
  readonly locked_at: string
  readonly locked_by: string
}

/** Stands for locks that could not be read: until they can be, everything counts as locked. */
export const UNREADABLE_LOCK: Lock = {
  kind: 'all',
  id: EVERYTHING,
  reason: 'The locks cannot be read.',
  locked_at: '-',
  locked_by: 'hub',
}

/** What a call is told that a lock stands in the way of. */
export function lockedCode(lock: Lock): 'STORAGE_UNAVAILABLE' | 'LOCKED' {
  return lock === UNREADABLE_LOCK ? 'STORAGE_UNAVAILABLE' : 'LOCKED'
}
