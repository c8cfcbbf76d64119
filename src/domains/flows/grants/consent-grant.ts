import { hash } from 'node:crypto'
import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { type Context, defineOperation } from '../../../operations/define-operation.ts'
import {
  type ConsentEnd,
  type ConsentTerms,
  endMcpConsent,
  findStandingConsent,
  type McpConsent,
  renewMcpConsent,
} from '../../../platform/identity/mcp/mcp-consents.ts'
import { SCOPES } from '../../../platform/policy/scopes.ts'
import type { VaultPolicy } from '../../../platform/policy/vault-policy.ts'
import { allowedToolIds, requireAllowedTool } from '../allowlist.ts'
import { findLatestVersion } from '../flow-store.ts'
import { mintErrors, mintGrant } from './grant-mint.ts'
import type { Grant } from './grant-record.ts'
import { findGrant, revokeGrant } from './grant-store.ts'
import { grantTerms } from './grant-terms.ts'

/** Of a lifetime; programs renew a little before its end, and their uses are counted anew then, too. */
const PERIOD_PART = 0.75

type Renewing = Context<{ consent_id: string }, keyof typeof mintErrors, 'create'>

/**
 * Mints the next grant of a consent: pinned to the same version, under the same limits, in the place of the former. A
 * program never calls it; the sign-in does, for the consent's own token.
 */
export const flowConsentGrant = defineOperation({
  name: 'flow_consent_grant',
  summary: 'Mint the next grant under a consent of the owner.',
  effect: 'create',
  authority: vaultMember('read'),
  gate: {
    flag: 'FLOW_EXTERNAL_AGENT_ENABLED',
    whenOff: 'FLOW_EXTERNAL_AGENT_DISABLED',
    whenForbidden: 'FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN',
  },
  mcp: true,
  errors: mintErrors,
  input: z.strictObject({ consent_id: z.string() }),
  output: z.strictObject({ grant_id: z.string().nullable() }),
  made: ({ grant_id }) => ({ kind: 'grant', id: grant_id ?? '-' }),
  async handle(context) {
    const { input, db, now, vault_id, note, refuse } = context
    const consent = await findStandingConsent(db, input.consent_id, now)
    if (!consent?.terms || consent.vault_id !== vault_id) return refuse('FLOW_EXTERNAL_GRANT_DENIED')
    const { terms, consent_id } = consent
    const over = await findConsentEnd(context, terms)
    if (over) {
      await endMcpConsent(db, consent_id, over, now)
      note(`mcp_consent_ended_${over}`, { kind: 'consent', id: consent_id })
      return { grant_id: null }
    }
    const former = consent.grant_id === null ? undefined : await findGrant(db, vault_id, consent.grant_id)
    const { uses, period_started_at } = countOn(context, consent, terms, former)
    const { grant } = await mintGrant({ ...context, input: wantedBy(consent, terms) }, uses)
    if (former) await revokeGrant(db, former, now)
    const { grant_id } = grant
    if (!(await renewMcpConsent(db, { consent_id, grant_id, period_started_at })))
      return refuse('FLOW_EXTERNAL_GRANT_DENIED')
    context.tell({ grant_id, flow_id: grant.flow_id, flow_version: grant.flow_version })
    return { grant_id }
  },
})

function wantedBy({ label }: McpConsent, terms: ConsentTerms) {
  const { flow_id, flow_version, tools, ttl_seconds } = terms
  return { flow_id, flow_version, requested_tools: [...tools], ttl_seconds, actor_label: label }
}

/** What has changed since the owner looked, so that what they said is not meant any more. */
async function findConsentEnd(
  { db, vault_id, rules }: Renewing,
  { flow_id, flow_version, tools, tools_digest }: ConsentTerms,
): Promise<ConsentEnd | undefined> {
  if ((await findLatestVersion(db, vault_id, flow_id, SCOPES)) !== flow_version) return 'new_version'
  const policy = rules.policy.value
  const allowed = allowedToolIds(policy)
  if (!tools.every((tool) => allowed.has(tool))) return 'tool_not_allowed'
  return digestTools(policy, tools) === tools_digest ? undefined : 'tool_changed'
}

/** One value over everything that the policy says of these tools: what stands behind them, too. */
export function digestTools(policy: VaultPolicy, tools: readonly string[]): string {
  return hash('sha256', JSON.stringify(tools.toSorted().map((tool) => requireAllowedTool(policy, tool))))
}

/** A grant that comes before its time has the uses that the former had left: renewing often gives no more of them. */
function countOn(
  { now, rules }: Renewing,
  { period_started_at }: McpConsent,
  { ttl_seconds, max_invocations }: ConsentTerms,
  former: Grant | undefined,
) {
  const { max_invocations: most } = grantTerms(rules.policy.value)
  const max = max_invocations === 0 ? most : most === 0 ? max_invocations : Math.min(most, max_invocations)
  const ran_ms = now.getTime() - Date.parse(period_started_at ?? now.toISOString())
  const goes_on = former !== undefined && ran_ms < ttl_seconds * 1_000 * PERIOD_PART
  const invocation_count = goes_on ? former.invocation_count : 0
  return {
    uses: { max_invocations: max, invocation_count },
    period_started_at: goes_on ? period_started_at : now.toISOString(),
  }
}
