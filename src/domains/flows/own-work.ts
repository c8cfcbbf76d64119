import type { Surface } from '../../operations/define-operation.ts'
import type { Caller } from '../../platform/identity/caller.ts'

/** A credential, as a record names who made it. */
export function authorName({ kind, id }: Caller): string {
  return `${kind}:${id}`
}

/**
 * Over MCP an agent speaks, and an agent must not let its own work pass. On the other surfaces one person
 * alone at home may be author and reviewer.
 */
export function isOwnOverMcp(asking: { surface: Surface; caller: Caller }, author: string): boolean {
  return asking.surface === 'mcp' && author === authorName(asking.caller)
}
