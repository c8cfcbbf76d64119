import { isOwner } from '../../operations/authority.ts'
import type { Surface } from '../../operations/define-operation.ts'
import type { Caller } from '../../platform/identity/caller.ts'

/** A credential, as a record names who made it. */
export function authorName({ kind, id }: Caller): string {
  return `${kind}:${id}`
}

/**
 * Whether somebody judges what the same credential made. An agent must not let its own work pass, and over MCP it is an
 * agent that speaks; so it may be with any token. The owner alone at home may be author and reviewer.
 */
export function isOwnWork(
  { surface, caller }: { surface: Surface; caller: Caller },
  author: string,
): boolean {
  return author === authorName(caller) && (surface === 'mcp' || !isOwner(caller))
}
