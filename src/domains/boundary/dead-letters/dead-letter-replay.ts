import { z } from 'zod'
import { type AgentInput, type AgentOutput, checkExchange } from '../../../boundary/index.ts'
import { vaultMember } from '../../../operations/authority.ts'
import { type Context, defineOperation } from '../../../operations/define-operation.ts'
import { StorageDamaged } from '../../../platform/storage/database.ts'
import { boundaryErrors } from '../boundary-errors.ts'
import { writeAnswer, writeEnd } from '../executions/end-execution.ts'
import { ExecutionAnswer } from '../executions/execution-answer.ts'
import { checkMoves, isMove } from '../executions/execution-state.ts'
import {
  type ExecutionRow,
  factsIn,
  lockExecution,
  storeAttempt,
  toExecution,
} from '../executions/execution-store.ts'
import { beginJournal } from '../ledger/begin-journal.ts'
import { type DeadLetterRow, lockDeadLetter, sealOfLetter, settleDeadLetter } from './dead-letter-store.ts'

const errors = boundaryErrors.pick('unknown_dead_letter', 'IDEMPOTENCY_CONFLICT')

const input = z.strictObject({
  dead_letter_id: z
    .string()
    .regex(/^bdead_[0-9a-f]{24}$/)
    .describe('The id of the dead letter'),
})

type Replaying = Context<z.output<typeof input>, keyof typeof errors, 'update'>

export const deadLetterReplay = defineOperation({
  name: 'boundary_dead_letter_replay',
  summary: 'Write a kept answer to the ledger after all, as the next attempt of its execution.',
  effect: 'update',
  idempotent: true,
  authority: vaultMember('admin'),
  rest: 'POST /api/v1/boundary/dead-letters/{dead_letter_id}/replay',
  cli: 'boundary dead-letter replay <dead_letter_id>',
  errors,
  target: ({ dead_letter_id }) => ({ kind: 'boundary_dead_letter', id: dead_letter_id }),
  input,
  output: ExecutionAnswer,
  present: async () => (await import('../executions/present-executions.ts')).presentExecution,
  async handle(context) {
    const { vault_id, db, hub, refuse, input: asked } = context
    await beginJournal(db, hub)
    const letter = (await lockDeadLetter(db, vault_id, asked.dead_letter_id)) ?? refuse('unknown_dead_letter')
    const row = (await lockExecution(db, vault_id, letter.run_id)) ?? refuse('unknown_dead_letter')
    const wasReplayed = letter.replayed_at !== null
    const execution = toExecution(wasReplayed ? row : await replay(context, letter, row))
    return { schema: 'knowtation.boundary_execution/v0', vault_id, idempotent: wasReplayed, execution }
  },
})

/** An execution that has gone on since has no use for an old answer. */
async function replay(
  { db, hub, now, refuse }: Replaying,
  letter: DeadLetterRow,
  row: ExecutionRow,
): Promise<ExecutionRow> {
  if (row.attempt !== letter.attempt || !isMove(row.state, 'running', true))
    return refuse('IDEMPOTENCY_CONFLICT')
  if (letter.mac !== sealOfLetter(hub.audit.key, letter))
    throw new StorageDamaged('A dead letter is not as it was written.')
  await storeAttempt(db, row)
  const next: ExecutionRow = { ...row, attempt: row.attempt + 1, state: 'running' }
  checkMoves('running', 'succeeded')
  const accepted = { output: keptOutput(letter, row), duration_ms: letter.duration_ms }
  const outcome = await writeAnswer(db, hub, next, accepted, now)
  await settleDeadLetter(db, letter, now)
  return writeEnd(db, next, outcome, now)
}

/** The kept answer, held once more against what the host had decided; of the snapshot nothing was kept. */
function keptOutput({ output_json }: DeadLetterRow, row: ExecutionRow): AgentOutput {
  const facts = factsIn(row)
  const asked: AgentInput = {
    tenantId: row.tenant_id,
    robotId: row.robot_id,
    executionId: row.execution_id,
    attempt: row.attempt,
    workflowVersion: facts.workflow_version,
    agentVersion: facts.agent_version,
    boundaryContractVersion: 'v1',
    runMode: facts.run_mode,
    snapshotAt: facts.snapshot_at,
    coherenceStatus: facts.coherence_status,
    constraints: {},
    objective: { ...facts.objective, payload: {} },
    intelligenceSnapshot: {},
    allowedLineage: { dependsOnLedgerIds: facts.allowed_lineage },
    allowedArtifactTypes: facts.allowed_artifact_types,
    outputSchemaVersion: facts.output_schema_version,
  }
  const verdict = checkExchange(asked, JSON.parse(output_json ?? 'null'))
  if (!verdict.ok) throw new StorageDamaged('A dead letter is not as it was written.')
  return verdict.output
}
