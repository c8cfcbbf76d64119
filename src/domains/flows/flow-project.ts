import { z } from 'zod'
import { vaultMember } from '../../operations/authority.ts'
import { type Context, defineOperation, isWithGrant } from '../../operations/define-operation.ts'
import { isForbidden } from '../../platform/policy/gates.ts'
import { type Harness, INERT_HARNESSES, RESERVED_HARNESSES } from './bundle/bundle-vocabulary.ts'
import type { Flow } from './bundle/flow-record.ts'
import { flowErrors } from './flow-errors.ts'
import { FlowId, HarnessName, VersionChoice } from './flow-schemas.ts'
import { findLatestVersion } from './flow-store.ts'
import { requireGrant } from './grants/check-grant.ts'
import { MISPLACED_BEARER } from './grants/grant-record.ts'
import { keepAnswers } from './kept-answers.ts'
import { keepProjections } from './kept-projections.ts'
import { FLOW_PROJECT_SCHEMA, projectionEnvelope } from './projection/projection-envelope.ts'
import {
  FLOW_PROJECTION_SCHEMA,
  isProjectable,
  type ProjectableHarness,
  renderProjection,
} from './projection/render-projection.ts'
import { requireFlowDocument } from './require-flow.ts'
import { requireVisibleScopes } from './visibility.ts'

const errors = flowErrors.pick(
  'unknown_flow',
  'FLOW_HARNESS_UNSUPPORTED',
  'FLOW_SCOPE_AMBIGUOUS',
  'FLOW_EXTERNAL_AGENT_DISABLED',
  'FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN',
  'FLOW_HOSTED_PROJECTION_DISABLED',
  'FLOW_EXTERNAL_GRANT_DENIED',
  'FLOW_EXTERNAL_GRANT_EXPIRED',
  'FLOW_EXTERNAL_GRANT_REVOKED',
  'FLOW_EXTERNAL_GRANT_FLOW_MISMATCH',
  'FLOW_EXTERNAL_GRANT_TOOL_DENIED',
  'FLOW_EXTERNAL_TOOL_DENIED',
)

const Wanted = z.strictObject({
  flow_id: FlowId,
  harness: HarnessName.describe(
    `What the flow is rendered for (${RESERVED_HARNESSES.join(' and ')} are refused as yet, ` +
      `${INERT_HARNESSES.join(' and ')} while the external-agent gate is closed)`,
  ),
  version: VersionChoice,
})

export const Projected = z.strictObject({
  schema: z.literal(FLOW_PROJECT_SCHEMA),
  vault_id: z.string(),
  projection: z.strictObject({
    schema: z.literal(FLOW_PROJECTION_SCHEMA),
    flow_id: FlowId,
    flow_version: z.string(),
    harness: HarnessName,
    rendered: z.string(),
    generated_from_canonical: z.literal(true),
    editable: z.literal(false),
    fidelity: z.strictObject({ dropped_fields: z.array(z.string()), notes: z.string().nullable() }),
  }),
  staleness: z.strictObject({
    stale: z.boolean(),
    projection_version: z.string(),
    latest_version: z.string(),
  }),
  generator: z.strictObject({
    generator_version: z.string(),
    content_hash: z.string(),
    generated_at: z.string(),
  }),
})

type Projecting = Context<z.output<typeof Wanted>, keyof typeof errors, 'read'>

export const flowProject = defineOperation({
  name: 'flow_project',
  summary: 'Render one version of a flow for a harness, as a read-only artifact.',
  effect: 'read',
  authority: vaultMember('read'),
  rest: 'GET /api/v1/flows/{flow_id}/projection',
  mcp: true,
  cli: 'flow project <flow_id>',
  errors,
  whenHostDenied: 'FLOW_HOSTED_PROJECTION_DISABLED',
  ignores: MISPLACED_BEARER,
  target: (input) => ({ kind: 'flow', id: input.flow_id }),
  input: Wanted,
  output: Projected,
  async handle(context) {
    const { input, vault_id, now, rules, presented } = context
    const harness = requireServed(context)
    const read = documentOf(await requireFlowDocument(context, 'bundle'))
    const { flow, steps } = read
    if (isWithGrant(presented)) await checkGrantedFetch(context, flow)
    // Who asked for no certain version has read the newest that is there for them.
    const latest_version = input.version === undefined ? flow.version : await findLatest(context, flow)
    const offered = read.offeredUnder(rules.policy.value)
    const generated_at = now.toISOString()
    // The same is asked for again and again, and only the moment differs.
    const key = `${harness}\0${latest_version}\0${vault_id}\0${offered.key}`
    const head = read.text(key, () => {
      const projection = renderProjection({ flow, steps, harness, allowed_tools: offered.tools })
      const parts = { vault_id, projection, latest_version, generated_at }
      return cutMoment(JSON.stringify(Projected.parse(projectionEnvelope(parts))), generated_at)
    })
    return answerAround(head, generated_at, () => `${head}${generated_at}${AFTER_MOMENT}`)
  },
})

const answerAround = keepAnswers()

const documentOf = keepProjections()

/** What follows the moment at the end of an answer. */
const AFTER_MOMENT = '"}}'

/** An answer up to the moment it was generated at, which is the last thing in it. */
function cutMoment(text: string, generated_at: string): string {
  const end = `${generated_at}${AFTER_MOMENT}`
  if (!text.endsWith(end)) throw new Error('The moment is not the last thing of a projection.')
  return text.slice(0, -end.length)
}

/** The newest version that the caller may see. */
async function findLatest(context: Projecting, flow: Flow): Promise<string> {
  const { input, vault_id, db } = context
  const scopes = requireVisibleScopes(context)
  return (await findLatestVersion(db, vault_id, input.flow_id, scopes)) ?? flow.version
}

/** The harnesses that stay dead as the external-agent gate stands. */
export function inertHarnesses(isExternalAgentOn: boolean): readonly Harness[] {
  return isExternalAgentOn ? [] : INERT_HARNESSES
}

/** The harness, if it is served to this caller now. The bundle for agents has gates of its own. */
function requireServed({
  input: { harness },
  hub,
  rules,
  hosted,
  isGateOn,
  refuse,
}: Projecting): ProjectableHarness {
  const inert = inertHarnesses(isGateOn('FLOW_EXTERNAL_AGENT_ENABLED'))
  if (!isProjectable(harness) || inert.includes(harness)) return refuse('FLOW_HARNESS_UNSUPPORTED')
  if (harness !== 'agent_bundle') return harness
  if (isForbidden('FLOW_EXTERNAL_AGENT_ENABLED', hub.env, rules.policy)) {
    refuse('FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN')
  }
  if (hosted && !isGateOn('FLOW_HOSTED_PROJECTION_ENABLED')) refuse('FLOW_HOSTED_PROJECTION_DISABLED')
  return harness
}

/** Who presents a grant is held to it: its flow, its version, its harness, and tools that are still allowed. */
async function checkGrantedFetch(context: Projecting, flow: Flow): Promise<void> {
  const { input, isGateOn, refuse } = context
  if (!isGateOn('FLOW_EXTERNAL_AGENT_ENABLED')) refuse('FLOW_EXTERNAL_AGENT_DISABLED')
  const { flow_id, version: flow_version } = flow
  const grant = await requireGrant(context, ['life', 'use'], ({ allowed_tools: tools }) => ({
    flow_id,
    flow_version,
    tools,
  }))
  if (!grant.allowed_harnesses.some((allowed) => allowed === input.harness))
    refuse('FLOW_EXTERNAL_GRANT_DENIED')
}
