import { hash } from 'node:crypto'
import { z } from 'zod'
import { hubOwner } from '../../../operations/authority.ts'
import { type Context, defineOperation } from '../../../operations/define-operation.ts'
import { findObjection } from '../activation/conditions.ts'
import { factsOf } from '../activation/facts.ts'
import { asksFirst, declaredTools } from '../allowlist.ts'
import type { FlowBundle, FlowStep } from '../bundle/flow-record.ts'
import { flowErrors } from '../flow-errors.ts'
import { FlowId } from '../flow-schemas.ts'
import { openTools } from '../pins/open-tools.ts'
import { requireFlowDocument } from '../require-flow.ts'
import { budgetsFor, GrantBudgets } from './grant-budgets.ts'
import { grantTerms } from './grant-terms.ts'

const PreviewedTool = z.strictObject({
  tool_id: z.string(),
  steps: z.array(z.int()).describe('The steps of the flow that name it'),
  state: z
    .enum(['granted', 'not_chosen', 'not_listed', 'changed'])
    .describe('Whether a call of it would be let through by this grant, and why not'),
  asks: z.enum(['never', 'first_call', 'each_call']).describe('Whether a call waits for you first'),
  description: z.string().nullable(),
  arguments: z.array(z.string()).nullable().describe('What it may be given; null where nothing is said'),
})

export const GrantPreviewOutput = z.strictObject({
  schema: z.literal('knowtation.flow_external_grant_preview/v0'),
  vault_id: z.string(),
  flow_id: z.string(),
  flow_version: z.string(),
  title: z.string(),
  steps: z.int(),
  gate: z.strictObject({ open: z.boolean(), code: z.string().nullable(), detail: z.string() }),
  tools: z.array(PreviewedTool),
  unknown_tools: z.array(z.string()).describe('Asked for, and named by no step of this version'),
  ttl_seconds: z.int(),
  expires_at: z.string(),
  max_invocations: z.int().describe('Calls in all; 0 is without end'),
  terms: z.strictObject({
    default_ttl_seconds: z.int(),
    max_ttl_seconds: z.int(),
    max_invocations: z.int(),
    max_live_grants: z.int(),
  }),
  budgets: GrantBudgets.optional(),
  mintable: z.boolean(),
  digest: z.string().describe('Over all that the grant would allow: another one stands for something else'),
})

const input = z.strictObject({
  flow_id: FlowId,
  version: z.string().max(64).optional().describe('The version; without it the newest'),
  requested_tools: z.array(z.string().min(1).max(128)).max(100).optional().describe('Ids of tools to grant'),
  ttl_seconds: z.int().positive().optional().describe('Lifetime; capped by the vault policy'),
})
const errors = flowErrors.pick('unknown_flow', 'FLOW_SCOPE_AMBIGUOUS')

export const grantPreview = defineOperation({
  name: 'flow_external_grant_preview',
  summary: 'Show what a grant would allow, what not, and which calls would ask you first. Nothing is minted.',
  effect: 'read',
  authority: hubOwner(),
  whileLocked: true,
  rest: 'GET /api/v1/flows/{flow_id}/grant-preview',
  cli: 'flow grant preview <flow_id>',
  errors,
  target: ({ flow_id }) => ({ kind: 'flow', id: flow_id }),
  input,
  output: GrantPreviewOutput,
  present: async () => (await import('./present-preview.ts')).presentPreview,
  async handle(context) {
    const { input: wanted, rules, vault_id, now } = context
    const { flow, steps } = JSON.parse(await requireFlowDocument(context, 'bundle')) as FlowBundle
    const policy = rules.policy.value
    const terms = grantTerms(policy)
    const chosen = [...new Set(wanted.requested_tools ?? [])].toSorted()
    const declared = declaredTools(steps)
    const tools = await previewTools(context, steps, chosen)
    const ttl_seconds = Math.min(wanted.ttl_seconds ?? terms.default_ttl_seconds, terms.max_ttl_seconds)
    const gate = await gateOf(context)
    const unknown_tools = chosen.filter((tool) => !declared.includes(tool))
    const granted = tools.filter(({ state }) => state === 'granted').map(({ tool_id }) => tool_id)
    const budgets = budgetsFor(policy, granted)
    const allowed = {
      flow_id: flow.flow_id,
      flow_version: flow.version,
      tools,
      unknown_tools,
      ttl_seconds,
      max_invocations: terms.max_invocations,
      ...(budgets && { budgets }),
    }
    return {
      schema: 'knowtation.flow_external_grant_preview/v0' as const,
      vault_id,
      title: flow.title,
      steps: steps.length,
      gate,
      ...allowed,
      expires_at: new Date(now.getTime() + ttl_seconds * 1_000).toISOString(),
      terms,
      mintable: gate.open && granted.length > 0 && granted.length === chosen.length,
      digest: hash('sha256', JSON.stringify([vault_id, allowed, rules.revision])),
    }
  },
})

type Previewing = Context<z.output<typeof input>, keyof typeof errors, 'read'>

/** Every tool that a step names, with what this grant would do for it. */
async function previewTools(
  { rules, vault_id, db }: Previewing,
  steps: readonly FlowStep[],
  chosen: readonly string[],
) {
  const listed = rules.policy.value.external_agent?.allowed_tools ?? []
  const open = await openTools({ db }, vault_id, listed)
  return declaredTools(steps).map((tool_id) => {
    const tool = listed.find(({ id }) => id === tool_id)
    const state = !tool
      ? ('not_listed' as const)
      : !open.includes(tool)
        ? ('changed' as const)
        : chosen.includes(tool_id)
          ? ('granted' as const)
          : ('not_chosen' as const)
    return {
      tool_id,
      steps: stepsNaming(steps, tool_id),
      state,
      asks: tool && asksFirst(tool) ? tool.approval : ('never' as const),
      description: tool?.description ?? null,
      arguments: argumentsOf(tool?.input_schema),
    }
  })
}

function stepsNaming(steps: readonly FlowStep[], tool_id: string): number[] {
  return steps
    .filter(({ skill_refs }) => skill_refs.some(({ kind, id }) => kind === 'external_tool' && id === tool_id))
    .map(({ ordinal }) => ordinal)
}

function argumentsOf(schema: object | undefined): string[] | null {
  const { properties } = (schema ?? {}) as { properties?: unknown }
  return typeof properties === 'object' && properties !== null ? Object.keys(properties).slice(0, 50) : null
}

/** The gate by the same conditions as a call. */
async function gateOf({ vault_id, db, hub, rules, now }: Previewing) {
  const situation = { vault_id, db, env: hub.env, locks: hub.locks, rules, now, caller: {} }
  const facts = factsOf({ ...situation, findGrant: async () => undefined, useOf: () => NOTHING })
  const objection = await findObjection(facts, ['gate'])
  return {
    open: objection === undefined,
    code: objection?.code ?? null,
    detail: objection?.detail ?? 'external agents are on',
  }
}

const NOTHING = { flow_id: '-', flow_version: '-', tools: [] }
