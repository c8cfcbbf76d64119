import { hash } from 'node:crypto'
import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { type Context, defineOperation } from '../../../operations/define-operation.ts'
import type { FlowBundle } from '../bundle/flow-record.ts'
import { isVersion } from '../bundle/semver.ts'
import { flowErrors } from '../flow-errors.ts'
import { FlowId, HarnessName, VersionChoice } from '../flow-schemas.ts'
import { findFlowDocument } from '../flow-store.ts'
import { authorName } from '../own-work.ts'
import { PlainText } from '../plain-text.ts'
import { ensureStarterFlows } from '../starter-flows.ts'
import { requireVisibleScopes } from '../visibility.ts'
import { insertRun } from './flow-run-store.ts'
import { runGate, runTarget } from './run-operation-parts.ts'
import { FlowRun, type KeptRun, type KeptStep, toFlowRun } from './run-record.ts'

const REF_CHARS = 512

const input = z.strictObject({
  flow_id: FlowId,
  version: VersionChoice,
  harness: HarnessName.optional().describe('What the flow is followed in'),
  task_ref: PlainText(REF_CHARS).optional().describe('A pointer to the task that the run is for'),
  external_ref: PlainText(REF_CHARS).optional().describe('A pointer of your own'),
})

type Starting = Context<z.output<typeof input>, 'unknown_flow' | 'FLOW_SCOPE_AMBIGUOUS', 'create'>

export const FlowRunStartOutput = z.strictObject({
  schema: z.literal('knowtation.flow_run_start/v0'),
  vault_id: z.string(),
  run: FlowRun,
})

export const flowRunStart = defineOperation({
  name: 'flow_run_start',
  summary: 'Start a run of one version of a flow. Nothing is carried out by it.',
  effect: 'create',
  authority: vaultMember('write'),
  gate: runGate,
  rest: 'POST /api/v1/flows/{flow_id}/runs',
  mcp: true,
  cli: 'flow run start <flow_id>',
  errors: flowErrors.pick('unknown_flow', 'FLOW_SCOPE_AMBIGUOUS', 'FLOW_RUN_WRITES_DISABLED'),
  target: ({ flow_id }) => ({ kind: 'flow', id: flow_id }),
  made: ({ run }) => runTarget(run),
  input,
  output: FlowRunStartOutput,
  present: async () => (await import('./present-flow-runs.ts')).presentRun,
  prepare: ({ hub, vault_id }) => ensureStarterFlows(hub, vault_id),
  async handle(context) {
    const { vault_id, db } = context
    const run = draftRun(context, await requirePinned(context))
    await insertRun(db, vault_id, run)
    return { schema: 'knowtation.flow_run_start/v0' as const, vault_id, run: toFlowRun(run) }
  },
})

async function requirePinned(context: Starting): Promise<FlowBundle> {
  const { input: wanted, vault_id, db, refuse } = context
  const { flow_id, version } = wanted
  if (version !== undefined && !isVersion(version)) {
    refuse('BAD_REQUEST', 'version does not have the required form.')
  }
  const scopes = requireVisibleScopes(context)
  const document = await findFlowDocument(db, 'bundle', { vault_id, flow_id, scopes, version })
  return document === undefined ? refuse('unknown_flow') : (JSON.parse(document) as FlowBundle)
}

function draftRun(context: Starting, { flow, steps }: FlowBundle): KeptRun {
  const { input: wanted, vault_id, caller, hub, now } = context
  const who = authorName(caller)
  return {
    run_id: `run_${hub.system.random(12)}`,
    flow_id: flow.flow_id,
    flow_version: flow.version,
    scope: flow.scope,
    status: 'in_progress',
    started: now.toISOString(),
    started_by: who,
    actor: hash('sha256', `${who}|${vault_id}`),
    harness: wanted.harness ?? caller.client,
    task_ref: wanted.task_ref ?? null,
    external_ref: wanted.external_ref ?? null,
    steps: steps.map(
      ({ step_id, verification: { kind, evidence_required } }): KeptStep => ({
        step_id,
        status: 'pending',
        evidence_ref: null,
        verified: false,
        kind,
        evidence_required,
        skip_reason: null,
      }),
    ),
  }
}
