import { type Reader, sql, type Transaction } from '../../../platform/storage/database.ts'
import { SCOPES, type Scope } from '../bundle/bundle-vocabulary.ts'
import type { FlowBundle } from '../bundle/flow-record.ts'
import { flowStateId } from '../bundle/state-id.ts'
import { insertFlowVersion, scopeValues } from '../flow-store.ts'
import type { ProposalReview } from './proposal-record.ts'

/** The version that the next one has to build on. */
export interface LineageHead {
  version: string
  state_id: string
  scope: Scope
}

const head = sql<LineageHead>(
  `SELECT l.version, v.state_id, l.scope FROM flow_latest l
   JOIN flow_versions v ON v.vault_id = l.vault_id AND v.flow_id = l.flow_id AND v.version = l.version
   WHERE l.vault_id = ? AND l.flow_id = ? AND l.scope IN (?, ?, ?) ORDER BY l.version_key DESC LIMIT 1`,
)
const stateOfVersion = sql<{ state_id: string }>(
  `SELECT state_id FROM flow_versions WHERE vault_id = ? AND flow_id = ? AND version = ? AND scope IN (?, ?, ?)`,
)
// The key admits one successor of each version: of two that come at once, the second finds its place taken.
const succeed = sql(
  `INSERT INTO flow_successions (vault_id, flow_id, base_version, version, proposal_id)
   VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
)
/** Stands for the base of a flow's first version. */
const NO_BASE = ''

/** The newest version of a flow among the scopes, with what an edit has to name of it. */
export async function findLineageHead(
  db: Reader,
  vault_id: string,
  flow_id: string,
  scopes: readonly Scope[],
): Promise<LineageHead | undefined> {
  return db.get(head, vault_id, flow_id, ...scopeValues(scopes))
}

/** Whether the vault already shows exactly this content under exactly this version. */
export async function hasSameVersion(
  db: Reader,
  vault_id: string,
  { flow, steps }: FlowBundle,
  scopes: readonly Scope[],
): Promise<boolean> {
  const found = await db.get(stateOfVersion, vault_id, flow.flow_id, flow.version, ...scopeValues(scopes))
  return found?.state_id === flowStateId(flow, steps)
}

/**
 * Adds a proposed version if the flow still is at the proposal's base: the vault's newest version in any
 * scope, whoever may see it. Answers false otherwise; then the transaction must not be kept.
 */
export async function addSuccessor(
  tx: Transaction,
  vault_id: string,
  proposal: ProposalReview,
  bundle: FlowBundle,
  now: Date,
): Promise<boolean> {
  const { flow_id, base_version, base_state_id, proposal_id } = proposal
  const current = await findLineageHead(tx, vault_id, flow_id, SCOPES)
  const isAtBase =
    (current?.version ?? null) === base_version && (current?.state_id ?? null) === base_state_id
  if (!isAtBase) return false
  const place = [vault_id, flow_id, base_version ?? NO_BASE, bundle.flow.version, proposal_id] as const
  if ((await tx.run(succeed, ...place)) === 0) return false
  return insertFlowVersion(tx, vault_id, bundle, now)
}
