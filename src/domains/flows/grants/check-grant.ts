import type { Context, Effect, Presented } from '../../../operations/define-operation.ts'
import type { Hub } from '../../../operations/hub.ts'
import type { CallReferences } from '../../../platform/audit/audit-record.ts'
import { hashSecret } from '../../../platform/basics/secret-hash.ts'
import type { Caller } from '../../../platform/identity/caller.ts'
import type { VaultRules } from '../../../platform/policy/policies.ts'
import type { Database, Reader } from '../../../platform/storage/database.ts'
import { findObjection, type Part, type Verdict } from '../activation/conditions.ts'
import { type Facts, factsOf, type Use } from '../activation/facts.ts'
import { BEARER, type Grant } from './grant-record.ts'
import { endExpiredGrant, findGrant, findGrantByBearer, wasEndedByTime } from './grant-store.ts'

export type GrantCode =
  | 'FLOW_EXTERNAL_AGENT_DISABLED'
  | 'FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN'
  | 'FLOW_EXTERNAL_GRANT_DENIED'
  | 'FLOW_EXTERNAL_GRANT_REVOKED'
  | 'FLOW_EXTERNAL_GRANT_EXPIRED'
  | 'FLOW_EXTERNAL_GRANT_FLOW_MISMATCH'
  | 'FLOW_EXTERNAL_GRANT_TOOL_DENIED'
  | 'FLOW_EXTERNAL_TOOL_DENIED'
  | 'FLOW_SCOPE_AMBIGUOUS'
  | 'unknown_flow'

type Asking = Context<unknown, GrantCode, Effect>

/** The grant that the presented bearer opens, if these parts of its conditions hold; refuses with the first that does not. */
export async function requireGrant(
  context: Asking,
  parts: readonly Part[],
  useOf: (grant: Grant) => Use,
): Promise<Grant> {
  const { hub, rules, vault_id, caller, presented, db, now, refuse } = context
  const held = { hub, rules, vault_id, caller, presented, db, now, useOf, tell: context.tell }
  const facts = factsOfHolder(held)
  const objection = await findObjection(facts, parts)
  await keepExpired(db, await facts.grant(), objection)
  if (objection) return refuse(objection.code as GrantCode)
  return (await facts.grant()) ?? refuse('FLOW_EXTERNAL_GRANT_DENIED')
}

/** The grant that the presented bearer opens, or undefined where one of the conditions does not hold. */
export async function findGrantFor(
  holder: { hub: Hub; caller: Caller; rules: VaultRules; vault_id: string; presented: Presented },
  parts: readonly Part[],
): Promise<Grant | undefined> {
  const { hub } = holder
  const facts = factsOfHolder({ ...holder, db: hub.db, now: hub.system.now(), useOf: ownUse })
  const objection = await findObjection(facts, parts)
  await keepExpired(hub.db, await facts.grant(), objection)
  return objection ? undefined : facts.grant()
}

/** What was refused as expired stays refused when the clock goes back. */
async function keepExpired(
  db: Reader | Database,
  grant: Grant | undefined,
  objection: Verdict | undefined,
): Promise<void> {
  if (!grant || objection?.code !== 'FLOW_EXTERNAL_GRANT_EXPIRED') return
  // Within a transaction it would be taken back with the refusal.
  if ('transaction' in db && !wasEndedByTime(grant)) await db.transaction((tx) => endExpiredGrant(tx, grant))
}

/** The grant's own flow and version, and no tool. */
export function ownUse({ flow_id, flow_version }: Grant): Use {
  return { flow_id, flow_version, tools: [] }
}

interface Holder extends Presenting {
  hub: Pick<Hub, 'env' | 'locks'>
  caller: Caller
  rules: VaultRules
  now: Date
  useOf(grant: Grant): Use
  tell?(references: Partial<CallReferences>): void
}

/** What is judged of the grant that somebody presents. */
export function factsOfHolder(holder: Holder): Facts {
  const { hub, tell, presented, ...situation } = holder
  return factsOf({
    ...situation,
    env: hub.env,
    locks: hub.locks,
    async findGrant() {
      const grant = await findPresentedGrant(holder)
      if (grant) tell?.(referencesOf(grant))
      const isNamed = presented.grant_id === undefined || presented.grant_id === grant?.grant_id
      return isNamed ? grant : undefined
    },
  })
}

interface Presenting {
  db: Reader
  vault_id: string
  presented: Presented
}

/** The grant behind the presented bearer, whether it counts or not. */
async function findPresentedGrant({ db, vault_id, presented }: Presenting): Promise<Grant | undefined> {
  const { external_bearer: bearer, own_grant } = presented
  if (own_grant !== undefined) return findGrant(db, vault_id, own_grant)
  if (bearer === undefined || !BEARER.test(bearer)) return undefined
  return findGrantByBearer(db, vault_id, hashSecret(bearer))
}

/** What the record of a call names of the grant that was presented with it. */
export async function findReferences(held: Presenting): Promise<Partial<CallReferences> | undefined> {
  const grant = await findPresentedGrant(held)
  return grant && referencesOf(grant)
}

/** What a record names of a grant. */
export function referencesOf({ grant_id, flow_id, flow_version }: Grant): Partial<CallReferences> {
  return { grant_id, flow_id, flow_version }
}
