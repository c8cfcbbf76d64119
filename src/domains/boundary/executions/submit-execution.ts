import { type AgentInput, decideCoherence } from '../../../boundary/index.ts'
import { refuse as refuseCommonly } from '../../../operations/errors.ts'
import type { EnginePolicy } from '../../../platform/policy/engine-policy.ts'
import { findEngine } from '../engines/find-engine.ts'
import type { Submitting } from './boundary-run.ts'
import { stateOf } from './end-execution.ts'
import { executionError, outcomeOf } from './execution-outcome.ts'
import { type Execution, type ExecutionOutcome, factsOf, payloadHash, runIdOf } from './execution-record.ts'
import { runnerOf } from './execution-runner.ts'
import { checkMoves, isMove } from './execution-state.ts'
import {
  ENDED,
  type ExecutionRow,
  findAttempt,
  insertExecution,
  lockExecution,
  storeAttempt,
  writeExecution,
} from './execution-store.ts'
import { executionWork } from './execution-work.ts'
import type { Job } from './job.ts'
import { requireFormer, requireInput, requireLineage } from './submission.ts'

/** How long a caller should wait when too many executions do. */
const BUSY_SECONDS = 10

/** What became of a submission: an attempt that is over, or an execution, with work to do when it is a new one. */
export type Found = { former: Execution } | { row: ExecutionRow; idempotent: boolean; job?: Job }

/** Decides everything about a submission, and keeps it, before any engine is called. */
export async function submitExecution(context: Submitting): Promise<Found> {
  const { vault_id, db, input: asked, rules, now, refuse } = context
  const given = requireInput(context, asked.input)
  const known = await lockExecution(db, vault_id, runIdOf(given))
  const same = known && (await findSame(context, known, given))
  if (same) return same
  const engine = requireEngine(context, given)
  const blocked = findBlock(given, rules.policy.value.boundary?.partial, now)
  // Blocked by its coherence, nothing will rest on what it names: that is what its submitter has to hear first.
  if (blocked?.status !== 'blocked') await requireLineage(context, given)
  await requireFormer(context, given, asked.rerun_of_execution_id ?? null)
  const row = await draft(context, given, known, blocked)
  if (known) {
    await storeAttempt(db, known)
    await writeExecution(db, row)
  } else if (!(await insertExecution(db, row))) {
    // Another hub was quicker with the same execution: hold this one against what it has stored.
    const other = (await lockExecution(db, vault_id, row.run_id)) ?? refuse('IDEMPOTENCY_CONFLICT')
    return (await findSame(context, other, given)) ?? refuse('IDEMPOTENCY_CONFLICT')
  }
  const { run_id, claim: fence, attempt } = row
  if (fence === null) return { row, idempotent: false }
  return { row, idempotent: false, job: { vault_id, run_id, fence, attempt, input: given, engine } }
}

/** The submission's own former self; undefined when it is a new attempt after one that failed. */
async function findSame(
  context: Submitting,
  known: ExecutionRow,
  given: AgentInput,
): Promise<Found | undefined> {
  const { vault_id, db, input: asked, refuse } = context
  const hash = payloadHash(asked.engine, asked.rerun_of_execution_id ?? null, given)
  if (given.attempt === known.attempt) {
    return known.payload_hash === hash ? { row: known, idempotent: true } : refuse('IDEMPOTENCY_CONFLICT')
  }
  if (given.attempt > known.attempt) {
    if (isMove(known.state, 'planned', true)) return undefined
    return refuse('IDEMPOTENCY_CONFLICT', 'Only an attempt that failed can be followed by another.')
  }
  const former = await findAttempt(db, vault_id, known.run_id, given.attempt)
  if (former?.payload_hash === hash) return { former: former.execution }
  return refuse('IDEMPOTENCY_CONFLICT', 'The attempt must be higher than the last one.')
}

function requireEngine({ rules, input: asked, refuse, hub }: Submitting, given: AgentInput): EnginePolicy {
  const client = { tenant_id: given.tenantId, robot_id: given.robotId }
  const engine = findEngine(rules.policy.value, asked.engine, client) ?? refuse('unknown_engine')
  if (!runnerOf(hub).hasRoom()) refuseCommonly('RATE_LIMITED', 'Too many executions wait.', BUSY_SECONDS)
  return engine
}

async function draft(
  { vault_id, hub, db, now, input: asked }: Submitting,
  given: AgentInput,
  known: ExecutionRow | undefined,
  blocked: ExecutionOutcome | undefined,
): Promise<ExecutionRow> {
  const rerun_of = asked.rerun_of_execution_id ?? null
  if (known && !isMove(known.state, 'planned', true))
    throw new Error('An attempt can follow a failed one only.')
  if (blocked) checkMoves('planned', 'running', stateOf(blocked))
  const { fence, ...lease } = await executionWork.firstLease(db, hub, runnerOf(hub).owner)
  return {
    vault_id,
    run_id: runIdOf(given),
    tenant_id: given.tenantId,
    robot_id: given.robotId,
    execution_id: given.executionId,
    attempt: given.attempt,
    payload_hash: payloadHash(asked.engine, rerun_of, given),
    engine: asked.engine,
    submitted_at: now.toISOString(),
    updated_at: now.toISOString(),
    facts_json: JSON.stringify(factsOf(given, rerun_of)),
    runs: 1,
    ...(blocked
      ? { ...ENDED, state: stateOf(blocked), outcome_json: JSON.stringify(blocked) }
      : {
          ...ENDED,
          ...lease,
          claim: String(fence),
          state: 'planned',
          outcome_json: null,
          input_json: JSON.stringify(given),
        }),
  }
}

/** How an execution ends whose engine is never called, or undefined when it may be. */
function findBlock(
  given: AgentInput,
  partial: 'run' | 'draft_only' | 'block' | undefined,
  now: Date,
): ExecutionOutcome | undefined {
  const decision = decideCoherence(given, partial)
  if (decision === 'blocked') return outcomeOf('blocked', now, { error: executionError('COHERENCE_BLOCKED') })
  if (decision === 'review') return outcomeOf('cancelled', now, { cancel_reason: 'PARTIAL_REQUIRES_REVIEW' })
  return undefined
}
