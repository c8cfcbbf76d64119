import type { AgentOutput } from '../../../boundary/index.ts'
import type { Hub } from '../../../operations/hub.ts'
import { hubRecord } from '../../../operations/hub-record.ts'
import type { AuditRecord } from '../../../platform/audit/audit-record.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { storeDeadLetter } from '../dead-letters/dead-letter-store.ts'
import { appendEntries } from '../ledger/append-entries.ts'
import { newLedgerIds } from '../ledger/ledger-record.ts'
import { executionError, outcomeOf } from './execution-outcome.ts'
import { type ExecutionOutcome, runTarget } from './execution-record.ts'
import { checkMoves, type ExecutionState } from './execution-state.ts'
import { ENDED, type ExecutionRow, lockExecution, writeExecution } from './execution-store.ts'
import type { Claim } from './execution-work.ts'
import { artifactEntries, eventEntry } from './ledger-entries.ts'

/** An answer that may be written, and how long it took. */
export interface Accepted {
  output: AgentOutput
  duration_ms: number
}

type End = (tx: Transaction, row: ExecutionRow, now: Date) => Promise<ExecutionOutcome>

/**
 * Ends an execution that this hub still has the claim to, with its record in the same transaction. Answers
 * false when it has not: it was cancelled, or another hub goes on with it, and nothing is written.
 */
export async function endClaimed(tx: Transaction, hub: Hub, claim: Claim, end: End): Promise<boolean> {
  const row = await lockExecution(tx, claim.vault_id, claim.run_id)
  if (!row || row.claim !== claim.fence || row.state !== 'running') return false
  const now = hub.system.now()
  const outcome = await end(tx, row, now)
  await writeEnd(tx, row, outcome, now)
  const record = recordOf(hub, row, outcome)
  await hub.audit.appendIn(tx, [record])
  tx.afterCommit(() => hub.observe(record))
  return true
}

/** Does so in a transaction of its own. */
export function endExecution(hub: Hub, claim: Claim, end: End): Promise<boolean> {
  return hub.db.transaction((tx) => endClaimed(tx, hub, claim, end))
}

/** Writes how an execution ended; it is locked, and its way there is one that executions may take. */
export async function writeEnd(
  tx: Transaction,
  row: ExecutionRow,
  outcome: ExecutionOutcome,
  now: Date,
): Promise<ExecutionRow> {
  const state = stateOf(outcome)
  checkMoves('running', state)
  const ended = {
    ...row,
    ...ENDED,
    state,
    outcome_json: JSON.stringify(outcome),
    updated_at: now.toISOString(),
  }
  await writeExecution(tx, ended)
  return ended
}

/** The state that an outcome leaves an execution in. A blocked one may be tried again, so it has failed. */
export function stateOf({ status }: ExecutionOutcome): ExecutionState {
  return status === 'blocked' ? 'failed' : status
}

function recordOf(hub: Hub, row: ExecutionRow, outcome: ExecutionOutcome): AuditRecord {
  const record = hubRecord(hub, `boundary_${stateOf(outcome)}`, row.vault_id, runTarget(row.run_id))
  return outcome.error ? { ...record, outcome: 'failed', code: outcome.error.code } : record
}

/** Writes an accepted answer: its artifacts as drafts, one event, and the end of its execution. */
export function endWithAnswer(hub: Hub, claim: Claim, accepted: Accepted): Promise<boolean> {
  return endExecution(hub, claim, (tx, row, now) => writeAnswer(tx, hub, row, accepted, now))
}

/** Adds the entries of an accepted answer to the ledger, and answers the outcome that names them. */
export async function writeAnswer(
  tx: Transaction,
  hub: Hub,
  row: ExecutionRow,
  { output, duration_ms }: Accepted,
  now: Date,
): Promise<ExecutionOutcome> {
  const artifacts = output.artifacts ?? []
  const ids = newLedgerIds(now, hub.system.random, artifacts.length + 1)
  const entries = [...artifactEntries(row, artifacts, ids), eventEntry(row, artifacts, ids, duration_ms)]
  const { vault_id, tenant_id } = row
  await appendEntries(tx, hub, { vault_id, tenant_id }, entries, now)
  return outcomeOf('succeeded', now, {
    artifact_ledger_ids: ids.slice(0, -1),
    event_ledger_id: ids.at(-1) ?? null,
    reported: output.diagnostics ? { message: null, diagnostics: { ...output.diagnostics } } : null,
    duration_ms,
  })
}

/** Keeps an accepted answer that could not be written, so that it can be when what was wrong is mended. */
export function endWithDeadLetter(
  hub: Hub,
  claim: Claim,
  accepted: Accepted,
  reason: string,
): Promise<boolean> {
  const { output, duration_ms } = accepted
  return endExecution(hub, claim, async (tx, row, now) => {
    const dead_letter_id = `bdead_${hub.system.random(12)}`
    const { vault_id, run_id, attempt } = row
    const letter = { vault_id, dead_letter_id, run_id, attempt, reason, duration_ms }
    await storeDeadLetter(tx, hub.audit.key, {
      ...letter,
      created_at: now.toISOString(),
      output_json: JSON.stringify(output),
    })
    const error = executionError('LEDGER_WRITE_FAILED')
    return outcomeOf('failed', now, { error, dead_letter_id, duration_ms })
  })
}
