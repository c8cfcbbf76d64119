import type { Place } from '../../../operations/page-cursor.ts'
import { type Reader, StorageDamaged, sql, type Transaction } from '../../../platform/storage/database.ts'
import type { Scope } from '../bundle/bundle-vocabulary.ts'
import { scopeValues } from '../flow-store.ts'
import { type KeptRun, KeptSteps } from './run-record.ts'

type RunRow = Omit<KeptRun, 'steps'> & { steps_json: string }

const COLUMNS = `run_id, flow_id, flow_version, scope, status, started, started_by, actor, harness, task_ref,
  external_ref, steps_json`
const PAGE = `scope IN (?, ?, ?) AND (started, run_id) < (?, ?) ORDER BY started DESC, run_id DESC LIMIT ?`

const insert = sql(
  `INSERT INTO flow_runs (vault_id, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
)
const byId = sql<RunRow>(
  `SELECT ${COLUMNS} FROM flow_runs WHERE vault_id = ? AND run_id = ? AND flow_id = ? AND scope IN (?, ?, ?)`,
)
const ofFlow = sql<RunRow>(`SELECT ${COLUMNS} FROM flow_runs WHERE vault_id = ? AND flow_id = ? AND ${PAGE}`)
// Changes nothing, but lets only one transaction at a time go on with the run.
const lock = sql('UPDATE flow_runs SET status = status WHERE vault_id = ? AND run_id = ?')
const update = sql('UPDATE flow_runs SET status = ?, steps_json = ? WHERE vault_id = ? AND run_id = ?')

export async function insertRun(tx: Transaction, vault_id: string, run: KeptRun): Promise<void> {
  const place = [run.run_id, run.flow_id, run.flow_version, run.scope, run.status, run.started] as const
  const origin = [run.started_by, run.actor, run.harness, run.task_ref, run.external_ref] as const
  await tx.run(insert, vault_id, ...place, ...origin, JSON.stringify(run.steps))
}

/** A run of this flow that the scopes may see. */
export async function findRun(
  db: Reader,
  where: { vault_id: string; flow_id: string; run_id: string; scopes: readonly Scope[] },
): Promise<KeptRun | undefined> {
  const { vault_id, flow_id, run_id, scopes } = where
  const row = await db.get(byId, vault_id, run_id, flow_id, ...scopeValues(scopes))
  return row && toRun(row)
}

/** The runs of a flow in the given scopes, newest first, from a place on. */
export async function listRuns(
  db: Reader,
  wanted: {
    vault_id: string
    flow_id: string
    scopes: readonly Scope[]
    after: Place
    limit: number
  },
): Promise<KeptRun[]> {
  const { vault_id, flow_id, scopes, after, limit } = wanted
  const page = [...scopeValues(scopes), after.at, after.id, limit] as const
  return (await db.all(ofFlow, vault_id, flow_id, ...page)).map(toRun)
}

/** Makes other transactions that lock the same run wait until this one has ended. */
export async function lockRun(tx: Transaction, vault_id: string, run_id: string): Promise<void> {
  await tx.run(lock, vault_id, run_id)
}

/** Writes how far a run has come. */
export async function updateRun(tx: Transaction, vault_id: string, run: KeptRun): Promise<void> {
  await tx.run(update, run.status, JSON.stringify(run.steps), vault_id, run.run_id)
}

function toRun({ steps_json, ...row }: RunRow): KeptRun {
  try {
    return { ...row, steps: KeptSteps.parse(JSON.parse(steps_json)) }
  } catch (cause) {
    throw new StorageDamaged('A stored run is not as it was written.', { cause })
  }
}
