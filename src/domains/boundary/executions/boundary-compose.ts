import { z } from 'zod'
import {
  type AgentInput,
  type CoherenceStatus,
  coherenceOf,
  composeInput,
  isIsoMoment,
  isJsonSafe,
  type LineageCandidate,
  OBJECTIVE_ACTIONS,
  OBJECTIVE_TYPES,
  parseAgentInput,
  RUN_MODES,
} from '../../../boundary/index.ts'
import { vaultMember } from '../../../operations/authority.ts'
import { type Context, defineOperation } from '../../../operations/define-operation.ts'
import { boundaryErrors } from '../boundary-errors.ts'
import { EVENT_ORIGIN } from '../ledger/ledger-record.ts'
import { findEntry, listCandidates } from '../ledger/ledger-store.ts'
import { LedgerId, PlainId, RobotId, TenantId } from '../plain-id.ts'
import { renderViolations } from './submission.ts'

/** Entries that the hub itself allows: the newest that the snapshot can rest on. */
const LINEAGE_LIMIT = 500

const JsonObject = z.record(z.string(), z.unknown())
const Version = PlainId('A version').optional()

const errors = boundaryErrors.pick('VALIDATION_ERROR', 'SNAPSHOT_EMPTY', 'MISSING_LINEAGE')

const input = z.strictObject({
  tenant_id: TenantId,
  robot_id: RobotId,
  execution_id: PlainId('The execution; a new id when left out').optional(),
  attempt: z.int().min(1).optional().describe('The attempt; 1 when left out'),
  workflow_version: Version.describe('The version of the workflow; v1 when left out'),
  agent_version: Version.describe('The version of the engine; v1 when left out'),
  output_schema_version: Version.describe('The version of the output schema; v1 when left out'),
  run_mode: z.enum(RUN_MODES).optional().describe('dry_run when left out'),
  objective: z
    .strictObject({
      type: z.enum(OBJECTIVE_TYPES),
      action: z.enum(OBJECTIVE_ACTIONS),
      payload: JsonObject,
    })
    .describe('What is to be made'),
  constraints: JsonObject.optional().describe('What is to be kept to'),
  snapshot: JsonObject.describe('All that is known now and may be worked with'),
  snapshot_at: z.string().optional().describe('The moment that the snapshot stands for; now when left out'),
  depends_on: z
    .array(LedgerId)
    .min(1)
    .max(LINEAGE_LIMIT)
    .optional()
    .describe('The entries that artifacts may rest on; the newest of the tenant when left out'),
})

type Composing = Context<z.output<typeof input>, keyof typeof errors, 'read'>

export const BoundaryComposeOutput = z.strictObject({
  schema: z.literal('knowtation.boundary_compose/v0'),
  vault_id: z.string(),
  input: z.record(z.string(), z.unknown()).describe('The AgentInput'),
})

export const boundaryCompose = defineOperation({
  name: 'boundary_compose',
  summary:
    'Put an AgentInput together: snapshot, coherence, lineage and kinds of artifact as the host decides.',
  effect: 'read',
  authority: vaultMember('write'),
  rest: 'POST /api/v1/boundary/inputs',
  mcp: true,
  cli: 'boundary compose',
  errors,
  input,
  output: BoundaryComposeOutput,
  async handle(context) {
    const { input: asked, vault_id, refuse } = context
    if (Object.keys(asked.snapshot).length === 0) refuse('SNAPSHOT_EMPTY')
    if (!isJsonSafe(asked.snapshot))
      refuse('VALIDATION_ERROR', 'intelligenceSnapshot holds a value that JSON does not carry.')
    const snapshotAt = requireMoment(context)
    const ledger = await readLedger(context, snapshotAt)
    const composed = composeInput({
      ...partsOf(context, snapshotAt, await coherence(context, snapshotAt)),
      snapshot: asked.snapshot,
      ledger,
    })
    if (composed.allowedLineage.dependsOnLedgerIds.length < (asked.depends_on ? ledger.length : 1)) {
      refuse('MISSING_LINEAGE')
    }
    const checked = parseAgentInput(composed)
    if (!checked.ok) refuse('VALIDATION_ERROR', renderViolations(checked.violations))
    return { schema: 'knowtation.boundary_compose/v0' as const, vault_id, input: { ...composed } }
  },
})

/** The moment of the snapshot: one that exists and has been. */
function requireMoment({ input: asked, now, refuse }: Composing): string {
  const { snapshot_at = now.toISOString() } = asked
  if (!isIsoMoment(snapshot_at))
    return refuse('VALIDATION_ERROR', 'snapshot_at must be an ISO 8601 date-time with a zone.')
  if (Date.parse(snapshot_at) > now.getTime())
    return refuse('VALIDATION_ERROR', 'snapshot_at must not lie in the future.')
  return snapshot_at
}

/** The entries that were asked for, or the newest there are. */
async function readLedger(context: Composing, snapshotAt: string): Promise<LineageCandidate[]> {
  const { input: asked, vault_id, db, refuse } = context
  const { tenant_id, depends_on } = asked
  if (!depends_on) return newestEntries(context, new Date(snapshotAt), LINEAGE_LIMIT)
  const found: LineageCandidate[] = []
  for (const id of new Set(depends_on)) {
    const entry = await findEntry(db, vault_id, id)
    if (entry?.tenant_id !== tenant_id) return refuse('MISSING_LINEAGE')
    found.push({ id, createdAt: entry.created_at })
  }
  return found
}

/** Events of executions are news of the hub's own making, and nothing to rest on. */
function newestEntries({ input: asked, vault_id, db }: Composing, until: Date, limit: number) {
  const { tenant_id } = asked
  return listCandidates(db, {
    vault_id,
    tenant_id,
    not_type: EVENT_ORIGIN.type,
    until: until.toISOString(),
    limit,
  })
}

function partsOf({ input: asked, hub }: Composing, snapshotAt: string, coherenceStatus: CoherenceStatus) {
  return {
    tenantId: asked.tenant_id,
    robotId: asked.robot_id,
    executionId: asked.execution_id ?? `exec_${hub.system.random(12)}`,
    attempt: asked.attempt ?? 1,
    workflowVersion: asked.workflow_version ?? 'v1',
    agentVersion: asked.agent_version ?? 'v1',
    runMode: asked.run_mode ?? 'dry_run',
    snapshotAt,
    coherenceStatus,
    constraints: (asked.constraints ?? {}) as AgentInput['constraints'],
    objective: asked.objective as AgentInput['objective'],
    outputSchemaVersion: asked.output_schema_version ?? 'v1',
  }
}

async function coherence(context: Composing, snapshotAt: string): Promise<CoherenceStatus> {
  const { rules, now } = context
  const [newest] = await newestEntries(context, now, 1)
  const stale_seconds = rules.policy.value.boundary?.stale_after_seconds
  return coherenceOf({
    snapshotAt: new Date(snapshotAt),
    now,
    newestEntryAt: newest && new Date(newest.createdAt),
    staleAfterMs: stale_seconds === undefined ? undefined : stale_seconds * 1_000,
  })
}
