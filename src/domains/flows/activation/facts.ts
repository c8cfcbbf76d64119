import type { Role } from '../../../platform/identity/caller.ts'
import {
  findConsentOfGrant,
  findMcpConsent,
  type McpConsent,
} from '../../../platform/identity/mcp/mcp-consents.ts'
import { findToken, type TokenRecord } from '../../../platform/identity/token-store.ts'
import type { Locks } from '../../../platform/locks/open-locks.ts'
import type { VaultRules } from '../../../platform/policy/policies.ts'
import { findVisibleScopes } from '../../../platform/policy/visible-scopes.ts'
import type { Reader } from '../../../platform/storage/database.ts'
import type { Scope } from '../bundle/bundle-vocabulary.ts'
import type { Grant } from '../grants/grant-record.ts'

/** What a grant is to be used for. A missing flow or version is a mismatch, not a wildcard. */
export interface Use {
  readonly flow_id: string | undefined
  readonly flow_version: string | undefined
  /** All of them must be granted and allowed. */
  readonly tools: readonly string[]
}

/** What is known of a call when it is judged. */
export interface Situation {
  readonly vault_id: string
  readonly db: Reader
  readonly env: NodeJS.ProcessEnv
  readonly locks: Pick<Locks, 'find'>
  readonly rules: VaultRules
  readonly now: Date
  /** Who calls. `explain` may not know the id, and then not the role either. */
  readonly caller: { readonly id?: string | undefined; readonly role?: Role | undefined }
  findGrant(): Promise<Grant | undefined>
  /** What the grant is to be used for; may depend on the grant. */
  useOf(grant: Grant): Use
}

/** A situation with what has to be looked up for it, each at most once. */
export interface Facts extends Situation {
  grant(): Promise<Grant | undefined>
  /** The caller's token, where its id is that of one. */
  token(): Promise<TokenRecord | undefined>
  /** The consent that the call is made under, where it is. */
  consent(): Promise<McpConsent | undefined>
  /** What the caller may see; `undefined` where that cannot be told. */
  scopes(): Promise<readonly Scope[] | undefined>
}

export function factsOf(situation: Situation): Facts {
  const { db, vault_id, caller, rules } = situation
  const grant = once(() => situation.findGrant())
  const token = once(async () => (caller.id ? findToken(db, vault_id, caller.id) : undefined))
  return {
    ...situation,
    grant,
    token,
    consent: once(async () => {
      const found = caller.id && (await findMcpConsent(db, caller.id))
      if (found || caller.id) return found || undefined
      const held = await grant()
      return held && findConsentOfGrant(db, held.grant_id)
    }),
    // Who is not named may be an admin.
    scopes: once(async () =>
      findVisibleScopes(
        { id: caller.id ?? '', role: caller.role ?? (await token())?.role ?? 'admin' },
        rules,
      ),
    ),
  }
}

function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let reading: Promise<Value> | undefined
  return () => (reading ??= read())
}
