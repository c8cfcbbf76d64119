import { type AgentInput, parseAgentInput, type Violation } from '../../../boundary/index.ts'
import type { Context } from '../../../operations/define-operation.ts'
import { findLineageFault } from '../ledger/lineage-check.ts'
import { isPlainId } from '../plain-id.ts'
import { runIdOf } from './execution-record.ts'
import { findExecution } from './execution-store.ts'

/** Ids that one input may allow; each is looked up. */
const LINEAGE_LIMIT = 1_000

type Asking = Pick<
  Context<unknown, 'VALIDATION_ERROR' | 'MISSING_LINEAGE' | 'unknown_execution', 'create'>,
  'vault_id' | 'db' | 'now' | 'refuse'
>

/** The input as the contract wants it, and as this hub can keep it; every violation is told by its path. */
export function requireInput({ now, refuse }: Pick<Asking, 'now' | 'refuse'>, value: unknown): AgentInput {
  const parsed = parseAgentInput(value)
  if (!parsed.ok) return refuse('VALIDATION_ERROR', renderViolations(parsed.violations))
  const faults = ownFaults(parsed.value, now)
  return faults.length > 0 ? refuse('VALIDATION_ERROR', renderViolations(faults)) : parsed.value
}

/** What the contract leaves open and this hub does not: ids it can store, a snapshot that has been taken. */
function ownFaults(input: AgentInput, now: Date): Violation[] {
  const faults: Violation[] = []
  for (const path of ['tenantId', 'robotId', 'executionId'] as const) {
    if (!isPlainId(input[path])) faults.push({ path, message: 'must be one line of at most 256 characters' })
  }
  if (!(Date.parse(input.snapshotAt) <= now.getTime())) {
    faults.push({ path: 'snapshotAt', message: 'must not lie in the future' })
  }
  if (input.allowedLineage.dependsOnLedgerIds.length > LINEAGE_LIMIT) {
    faults.push({
      path: 'allowedLineage.dependsOnLedgerIds',
      message: `must hold at most ${LINEAGE_LIMIT} ids`,
    })
  }
  return faults
}

/** Violations as one text: each with its path, none with a value. */
export function renderViolations(violations: readonly Violation[]): string {
  return violations.map(({ path, message }) => `${path || 'the document'} ${message}.`).join(' ')
}

/** Throws unless every allowed entry is of this tenant and was there when the snapshot was taken. */
export async function requireLineage({ vault_id, db, refuse }: Asking, input: AgentInput): Promise<void> {
  const { tenantId: tenant_id, snapshotAt, allowedLineage } = input
  const ids = allowedLineage.dependsOnLedgerIds
  if (await findLineageFault(db, { vault_id, tenant_id, ids, snapshot_at: snapshotAt })) {
    refuse('MISSING_LINEAGE')
  }
}

/** A rerun is of an execution of the same tenant and robot. */
export async function requireFormer(
  { vault_id, db, refuse }: Asking,
  input: AgentInput,
  rerun_of: string | null,
): Promise<void> {
  if (rerun_of === null) return
  const { tenantId, robotId } = input
  const former = runIdOf({ tenantId, robotId, executionId: rerun_of })
  if (rerun_of === input.executionId || !(await findExecution(db, vault_id, former)))
    refuse('unknown_execution')
}
