import { type Reader, StorageDamaged, sql, type Transaction } from '../../../platform/storage/database.ts'
import { type Execution, ExecutionFacts, ExecutionOutcome, ExecutionProgress } from './execution-record.ts'
import type { ExecutionState } from './execution-state.ts'

/** An execution as it is stored. `owner`, `claim` and `lease_until` say which hub works on it. */
export interface ExecutionRow {
  vault_id: string
  run_id: string
  tenant_id: string
  robot_id: string
  execution_id: string
  attempt: number
  payload_hash: string
  engine: string
  state: ExecutionState
  submitted_at: string
  updated_at: string
  facts_json: string
  outcome_json: string | null
  progress_json: string | null
  /** The whole input, snapshot included; gone as soon as the execution has ended. */
  input_json: string | null
  owner: string | null
  claim: string | null
  lease_until: string | null
  runs: number
}

const NAMES = [
  'vault_id',
  'run_id',
  'tenant_id',
  'robot_id',
  'execution_id',
  'attempt',
  'payload_hash',
  'engine',
  'state',
  'submitted_at',
  'updated_at',
  'facts_json',
  'outcome_json',
  'progress_json',
  'input_json',
  'owner',
  'claim',
  'lease_until',
  'runs',
] as const satisfies readonly (keyof ExecutionRow)[]
const COLUMNS = NAMES.join(', ')

const insert = sql(
  `INSERT INTO boundary_executions (${COLUMNS}) VALUES (${NAMES.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`,
)
// Changes nothing, but lets only one transaction at a time go on with the execution.
const lock = sql('UPDATE boundary_executions SET attempt = attempt WHERE vault_id = ? AND run_id = ?')
const whole = sql<ExecutionRow>(
  `SELECT ${COLUMNS} FROM boundary_executions WHERE vault_id = ? AND run_id = ?`,
)
// An input may be large, and only who works on an execution needs it.
const WITHOUT_INPUT = NAMES.map((name) => (name === 'input_json' ? 'NULL AS input_json' : name)).join(', ')
const byId = sql<ExecutionRow>(
  `SELECT ${WITHOUT_INPUT} FROM boundary_executions WHERE vault_id = ? AND run_id = ?`,
)
const page = sql<ExecutionRow>(
  `SELECT ${WITHOUT_INPUT} FROM boundary_executions
   WHERE vault_id = ? AND (submitted_at, run_id) < (?, ?) ORDER BY submitted_at DESC, run_id DESC LIMIT ?`,
)
const replace = sql(
  `UPDATE boundary_executions SET ${NAMES.map((name) => `${name} = ?`).join(', ')} WHERE vault_id = ? AND run_id = ?`,
)
const keepAttempt = sql(
  `INSERT INTO boundary_attempts (vault_id, run_id, attempt, payload_hash, execution_json) VALUES (?, ?, ?, ?, ?)`,
)
const oldAttempt = sql<{ payload_hash: string; execution_json: string }>(
  'SELECT payload_hash, execution_json FROM boundary_attempts WHERE vault_id = ? AND run_id = ? AND attempt = ?',
)

/** Stores a new execution. Answers false when there is one of this id already. */
export async function insertExecution(tx: Transaction, row: ExecutionRow): Promise<boolean> {
  return (await tx.run(insert, ...NAMES.map((name) => row[name]))) === 1
}

/** An execution that no other transaction can change until this one has ended. */
export async function lockExecution(
  tx: Transaction,
  vault_id: string,
  run_id: string,
): Promise<ExecutionRow | undefined> {
  if ((await tx.run(lock, vault_id, run_id)) === 0) return undefined
  return tx.get(whole, vault_id, run_id)
}

/** An execution as it is shown, without its input. */
export async function findExecution(
  db: Reader,
  vault_id: string,
  run_id: string,
): Promise<ExecutionRow | undefined> {
  return db.get(byId, vault_id, run_id)
}

/** Executions of a vault, newest first, from a place on. */
export async function listExecutions(
  db: Reader,
  wanted: { vault_id: string; after: { at: string; id: string }; limit: number },
): Promise<ExecutionRow[]> {
  return db.all(page, wanted.vault_id, wanted.after.at, wanted.after.id, wanted.limit)
}

/** Writes an execution as it stands now; it has been locked before. */
export async function writeExecution(tx: Transaction, row: ExecutionRow): Promise<void> {
  await tx.run(replace, ...NAMES.map((name) => row[name]), row.vault_id, row.run_id)
}

/** Keeps what became of an attempt when the next one takes its place. */
export async function storeAttempt(tx: Transaction, row: ExecutionRow): Promise<void> {
  const { vault_id, run_id, attempt, payload_hash } = row
  await tx.run(keepAttempt, vault_id, run_id, attempt, payload_hash, JSON.stringify(toExecution(row)))
}

/** A former attempt, as it ended. */
export async function findAttempt(db: Reader, vault_id: string, run_id: string, attempt: number) {
  const row = await db.get(oldAttempt, vault_id, run_id, attempt)
  return row && { payload_hash: row.payload_hash, execution: JSON.parse(row.execution_json) as Execution }
}

/** An ended execution belongs to no hub and keeps neither its input nor how far it had come. */
export const ENDED = { input_json: null, progress_json: null, owner: null, claim: null, lease_until: null }

export function toExecution(row: ExecutionRow): Execution {
  return {
    run_id: row.run_id,
    tenant_id: row.tenant_id,
    robot_id: row.robot_id,
    execution_id: row.execution_id,
    attempt: row.attempt,
    engine: row.engine,
    state: row.state,
    submitted_at: row.submitted_at,
    updated_at: row.updated_at,
    ...factsIn(row),
    progress: row.progress_json === null ? null : readStored(ExecutionProgress, row.progress_json),
    outcome: row.outcome_json === null ? null : readStored(ExecutionOutcome, row.outcome_json),
  }
}

export function factsIn({ facts_json }: ExecutionRow): ExecutionFacts {
  return readStored(ExecutionFacts, facts_json)
}

function readStored<Value>(schema: { parse(value: unknown): Value }, text: string): Value {
  try {
    return schema.parse(JSON.parse(text))
  } catch (cause) {
    throw new StorageDamaged('A stored execution is not as it was written.', { cause })
  }
}
