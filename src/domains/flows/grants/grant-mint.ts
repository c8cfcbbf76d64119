import { hash } from 'node:crypto'
import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { type Context, defineOperation } from '../../../operations/define-operation.ts'
import { hashSecret } from '../../../platform/basics/secret-hash.ts'
import type { Caller } from '../../../platform/identity/caller.ts'
import { allowedToolIds, declaredTools } from '../allowlist.ts'
import { findOpenProposal } from '../authoring/proposal-store.ts'
import type { Scope } from '../bundle/bundle-vocabulary.ts'
import type { FlowBundle } from '../bundle/flow-record.ts'
import { MAX_REF_ID_CHARS } from '../bundle/limits.ts'
import { isVersion } from '../bundle/semver.ts'
import { flowErrors } from '../flow-errors.ts'
import { FlowId } from '../flow-schemas.ts'
import { findFlowDocument } from '../flow-store.ts'
import { pinsOf } from '../pins/pinned-tools.ts'
import { ensureStarterFlows } from '../starter-flows.ts'
import { requireVisibleScopes } from '../visibility.ts'
import { hasWriteAuthority } from '../write-authority.ts'
import { budgetsFor, GrantBudgets } from './grant-budgets.ts'
import { BEARER_PREFIX, GRANT_SCHEMA, Grant, MintedPins } from './grant-record.ts'
import { deleteExpiredGrants, insertGrant, takePlace } from './grant-store.ts'
import { grantTerms } from './grant-terms.ts'
import { PURGE_BATCH } from './purge-grants.ts'

/** What speaks against a mint. */
export const mintErrors = flowErrors.pick(
  'unknown_flow',
  'FLOW_SCOPE_AMBIGUOUS',
  'FLOW_EXTERNAL_AGENT_DISABLED',
  'FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN',
  'FLOW_EXTERNAL_TOOL_UNKNOWN',
  'FLOW_EXTERNAL_TOOL_DENIED',
  'FLOW_EXTERNAL_GRANT_DENIED',
)

/** Any whole number: one beyond what can be told apart from its neighbours is capped like every large one. */
const TtlSeconds = z
  .number()
  .positive()
  .check(({ value, issues }) => {
    if (!Number.isInteger(value)) issues.push({ code: 'invalid_type', expected: 'int', input: value })
  })
  .meta({ type: 'integer' })

const input = z.strictObject({
  flow_id: FlowId,
  flow_version: z.string().refine(isVersion).describe('The version x.y.z that the grant is pinned to'),
  requested_tools: z
    .array(z.string().min(1).max(MAX_REF_ID_CHARS))
    .min(1)
    .max(100)
    .describe('Ids of tools the version declares'),
  ttl_seconds: TtlSeconds.optional().describe('Lifetime; capped by the vault policy'),
  actor_label: z.string().max(256).optional().describe('Whom the grant is for; kept only as a hash'),
})

/** Whatever a request says of these, a grant has what the hub gives it: a ready-made record becomes no grant. */
const SERVER_ISSUED = ['grant', 'bearer', ...Object.keys(Grant.shape).filter((key) => !(key in input.shape))]

type Minting = Context<z.output<typeof input>, keyof typeof mintErrors, 'create'>

/** What a grant is bound by beside its request. */
type Uses = Pick<Grant, 'max_invocations' | 'invocation_count'>

export const GrantMintOutput = z.strictObject({
  schema: z.literal('knowtation.flow_external_grant_mint/v0'),
  grant: Grant,
  bearer: z.string(),
  expires_at: z.iso.datetime(),
  budgets: GrantBudgets.optional(),
  pins: MintedPins.optional().describe('The reviewed definitions that the tools have now, by their ids'),
})

export const grantMint = defineOperation({
  name: 'flow_external_grant_mint',
  opens: true,
  summary: 'Mint a short-lived grant for one version of a flow. Its bearer is shown once.',
  effect: 'create',
  authority: vaultMember('read'),
  gate: {
    flag: 'FLOW_EXTERNAL_AGENT_ENABLED',
    whenOff: 'FLOW_EXTERNAL_AGENT_DISABLED',
    whenForbidden: 'FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN',
  },
  rest: 'POST /api/v1/flows/{flow_id}/external-grants',
  mcp: true,
  cli: 'flow grant mint <flow_id>',
  errors: mintErrors,
  ignores: SERVER_ISSUED,
  target: ({ flow_id }) => ({ kind: 'flow', id: flow_id }),
  input,
  output: GrantMintOutput,
  present: async () => (await import('./present-new-grant.ts')).presentNewGrant,
  prepare: ({ hub, vault_id }) => ensureStarterFlows(hub, vault_id),
  async handle(context) {
    const { max_invocations } = grantTerms(context.rules.policy.value)
    const { grant, bearer } = await mintGrant(context, { max_invocations, invocation_count: 0 })
    const budgets = budgetsFor(context.rules.policy.value, grant.allowed_tools)
    const pins = pinsOf(context.rules.policy.value, grant.allowed_tools)
    return {
      schema: 'knowtation.flow_external_grant_mint/v0' as const,
      grant,
      bearer,
      expires_at: grant.expires_at,
      ...(budgets && { budgets }),
      ...(pins && { pins }),
    }
  },
})

/** Checks what is wanted, and stores a grant for it. */
export async function mintGrant(context: Minting, uses: Uses): Promise<{ grant: Grant; bearer: string }> {
  const { flow, tools } = await requireGrantable(context)
  await requireRoom(context)
  const { hub, db } = context
  const bearer = `${BEARER_PREFIX}${hub.system.random(32)}`
  const grant = { ...draftGrant(context, flow.scope, tools), ...uses }
  await insertGrant(db, grant, hashSecret(bearer), pinsOf(context.rules.policy.value, tools))
  return { grant, bearer }
}

/** The pinned version and the tools to grant, or the contract's first objection. */
async function requireGrantable(context: Minting) {
  const { input: wanted, rules, caller, refuse } = context
  const scopes = requireVisibleScopes(context)
  const { flow, steps } = await requireApproved(context, scopes)
  const tools = [...new Set(wanted.requested_tools)].toSorted()
  const declared = declaredTools(steps)
  if (tools.some((tool) => !declared.includes(tool))) refuse('FLOW_EXTERNAL_TOOL_UNKNOWN')
  const allowed = allowedToolIds(rules.policy.value)
  if (tools.some((tool) => !allowed.has(tool))) refuse('FLOW_EXTERNAL_TOOL_DENIED')
  if (!hasWriteAuthority(caller, flow.scope)) refuse('FLOW_EXTERNAL_GRANT_DENIED')
  return { flow, tools }
}

async function requireApproved({ input: wanted, vault_id, db, refuse }: Minting, scopes: readonly Scope[]) {
  const { flow_id, flow_version: version } = wanted
  const document = await findFlowDocument(db, 'bundle', { vault_id, flow_id, scopes, version })
  if (document) return JSON.parse(document) as FlowBundle
  const proposed = await findOpenProposal(db, vault_id, flow_id, version, scopes)
  return refuse(proposed ? 'FLOW_EXTERNAL_GRANT_DENIED' : 'unknown_flow')
}

/** A full table first loses what has expired; when nothing has, the mint is refused and no live grant goes. */
async function requireRoom({ db, vault_id, rules, now, refuse }: Minting): Promise<void> {
  const { max_live_grants } = grantTerms(rules.policy.value)
  if (await takePlace(db, vault_id, max_live_grants)) return
  for (let gone = PURGE_BATCH, freed = 0; gone === PURGE_BATCH && freed === 0; )
    ({ gone, freed } = await deleteExpiredGrants(db, vault_id, now, PURGE_BATCH))
  if (!(await takePlace(db, vault_id, max_live_grants))) refuse('FLOW_EXTERNAL_GRANT_DENIED')
}

function draftGrant(context: Minting, scope: Scope, allowed_tools: string[]): Omit<Grant, keyof Uses> {
  const { input: wanted, vault_id, hub, caller, rules, now } = context
  const terms = grantTerms(rules.policy.value)
  const ttl_seconds = Math.min(wanted.ttl_seconds ?? terms.default_ttl_seconds, terms.max_ttl_seconds)
  return {
    schema: GRANT_SCHEMA,
    grant_id: `fgrnt_${hub.system.random(16)}`,
    vault_id,
    scope,
    flow_id: wanted.flow_id,
    flow_version: wanted.flow_version,
    allowed_tools,
    allowed_harnesses: ['agent_bundle'],
    expires_at: new Date(now.getTime() + ttl_seconds * 1_000).toISOString(),
    issued_at: now.toISOString(),
    revoked_at: null,
    actor_hash: hash('sha256', `${wanted.actor_label ?? ''}|${vault_id}|${issuerOf(caller)}`),
  }
}

/** Whoever can open the home's files has the hub token too, so as issuers the two are one on every surface. */
function issuerOf({ kind, id }: Caller): string {
  return kind === 'local' ? 'hub' : id
}
