import type { Context, Effect } from '../../../operations/define-operation.ts'
import { hashSecret } from '../../../platform/basics/secret-hash.ts'
import { lockedCode } from '../../../platform/locks/lock.ts'
import type { Reader } from '../../../platform/storage/database.ts'
import { allowedToolIds } from '../allowlist.ts'
import { BEARER, type Grant } from './grant-record.ts'
import { findGrantByBearer } from './grant-store.ts'

export type GrantCode =
  | 'FLOW_EXTERNAL_GRANT_DENIED'
  | 'FLOW_EXTERNAL_GRANT_REVOKED'
  | 'FLOW_EXTERNAL_GRANT_EXPIRED'
  | 'FLOW_EXTERNAL_GRANT_FLOW_MISMATCH'
  | 'FLOW_EXTERNAL_GRANT_TOOL_DENIED'
  | 'FLOW_EXTERNAL_TOOL_DENIED'

type Asking = Context<unknown, GrantCode, Effect>

/** What a grant is to be used for. A missing flow or version is a mismatch, not a wildcard. */
export interface Use {
  flow_id: string | undefined
  flow_version: string | undefined
  /** The tool of an invoke; a fetch names none, so there all of the grant's tools must still be allowed. */
  tool_id?: string
}

/** The grant that the presented bearer opens for this use; the first thing that speaks against it is refused. */
export async function requireGrant(context: Asking, use: Use): Promise<Grant> {
  const grant = await requireLiveGrant(context)
  const { refuse, hub } = context
  const lock = await hub.locks.find(grant.grant_id)
  if (lock) refuse(lockedCode(lock))
  if (grant.flow_id !== use.flow_id || grant.flow_version !== use.flow_version) {
    refuse('FLOW_EXTERNAL_GRANT_FLOW_MISMATCH')
  }
  const used = use.tool_id === undefined ? grant.allowed_tools : [use.tool_id]
  if (used.some((tool) => !grant.allowed_tools.includes(tool))) refuse('FLOW_EXTERNAL_GRANT_TOOL_DENIED')
  const allowed = allowedToolIds(context.rules.policy.value)
  if (used.some((tool) => !allowed.has(tool))) refuse('FLOW_EXTERNAL_TOOL_DENIED')
  return grant
}

/** The grant behind the presented bearer, neither revoked nor expired. Revoked counts before expired. */
export async function requireLiveGrant(
  context: Pick<Asking, 'vault_id' | 'presented' | 'now'> & { db: Reader; refuse(code: GrantCode): never },
): Promise<Grant> {
  const { db, vault_id, presented, now, refuse } = context
  const bearer = presented.external_bearer
  if (bearer === undefined || !BEARER.test(bearer)) return refuse('FLOW_EXTERNAL_GRANT_DENIED')
  const grant = await findGrantByBearer(db, vault_id, hashSecret(bearer))
  if (!grant || (presented.grant_id !== undefined && presented.grant_id !== grant.grant_id)) {
    return refuse('FLOW_EXTERNAL_GRANT_DENIED')
  }
  if (grant.revoked_at !== null) refuse('FLOW_EXTERNAL_GRANT_REVOKED')
  if (isExpired(grant, now)) refuse('FLOW_EXTERNAL_GRANT_EXPIRED')
  return grant
}

/** Past its moment, or with a moment nobody can read. */
export function isExpired(grant: Grant, now: Date): boolean {
  return !(now.getTime() <= Date.parse(grant.expires_at))
}
