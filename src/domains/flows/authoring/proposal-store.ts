import { hash } from 'node:crypto'
import type { Place } from '../../../operations/page-cursor.ts'
import {
  type Reader,
  type SqlValue,
  StorageDamaged,
  sql,
  type Transaction,
} from '../../../platform/storage/database.ts'
import type { Scope } from '../bundle/bundle-vocabulary.ts'
import type { FlowBundle } from '../bundle/flow-record.ts'
import { scopeValues } from '../flow-store.ts'
import { PROPOSAL_REVIEW_SCHEMA, type ProposalReview, REVIEW_QUEUE } from './proposal-record.ts'

type ReviewRow = Omit<ProposalReview, 'schema' | 'review_queue' | 'auto_approvable'> & {
  auto_approvable: number
}

const COLUMNS = `proposal_id, flow_id, base_version, base_state_id, scope, auto_approvable, status, kind,
  flow_version, intent, external_ref, source_vault_hint, created_at, created_by, evaluation_status,
  evaluation_comment, evaluated_at, evaluated_by, waiver_reason, decided_at, decided_by`
const COLUMN_NAMES = COLUMNS.split(',').map((name) => name.trim()) as (keyof ReviewRow)[]

// Whoever may see a proposal sees its base in the comparison, so both scopes have to be visible.
const VISIBLE = 'scope IN (?, ?, ?) AND base_scope IN (?, ?, ?)'
const PAGE = `${VISIBLE} AND (created_at, proposal_id) < (?, ?)
  ORDER BY created_at DESC, proposal_id DESC LIMIT ?`

const insert = sql(
  `INSERT INTO flow_proposals (vault_id, base_scope, draft_json, draft_hash, ${COLUMNS})
   VALUES (?, ?, ?, ?, ${COLUMN_NAMES.map(() => '?').join(', ')})`,
)
const byId = sql<ReviewRow>(
  `SELECT ${COLUMNS} FROM flow_proposals WHERE vault_id = ? AND proposal_id = ? AND ${VISIBLE}`,
)
const draftById = sql<{ draft_json: string; draft_hash: string }>(
  'SELECT draft_json, draft_hash FROM flow_proposals WHERE vault_id = ? AND proposal_id = ?',
)
const ofVault = sql<ReviewRow>(`SELECT ${COLUMNS} FROM flow_proposals WHERE vault_id = ? AND ${PAGE}`)
const ofStatus = sql<ReviewRow>(
  `SELECT ${COLUMNS} FROM flow_proposals WHERE vault_id = ? AND status = ? AND ${PAGE}`,
)
const openOfVersion = sql<{ proposal_id: string }>(
  `SELECT proposal_id FROM flow_proposals WHERE vault_id = ? AND flow_id = ? AND flow_version = ?
   AND status = 'proposed' AND ${VISIBLE} ORDER BY proposal_id LIMIT 1`,
)
const nthOpen = sql<{ proposal_id: string }>(
  `SELECT proposal_id FROM flow_proposals WHERE vault_id = ? AND status = 'proposed' LIMIT 1 OFFSET ?`,
)
// Changes nothing, but lets only one transaction at a time go on with the proposal.
const lock = sql('UPDATE flow_proposals SET status = status WHERE vault_id = ? AND proposal_id = ?')
const evaluate = sql(
  `UPDATE flow_proposals SET evaluation_status = ?, evaluation_comment = ?, evaluated_at = ?, evaluated_by = ?
   WHERE vault_id = ? AND proposal_id = ? AND status = 'proposed'`,
)
const decide = sql(
  `UPDATE flow_proposals SET status = ?, waiver_reason = ?, decided_at = ?, decided_by = ?
   WHERE vault_id = ? AND proposal_id = ? AND status = 'proposed'`,
)

/** Stores a new proposal with its draft. `base_scope` is the scope of the version it builds on. */
export async function insertProposal(
  tx: Transaction,
  vault_id: string,
  proposal: ProposalReview,
  base_scope: Scope,
  draft: FlowBundle,
): Promise<void> {
  const row: ReviewRow = { ...proposal, auto_approvable: proposal.auto_approvable ? 1 : 0 }
  const json = JSON.stringify({ flow: draft.flow, steps: draft.steps })
  const values = COLUMN_NAMES.map((name): SqlValue => row[name])
  await tx.run(insert, vault_id, base_scope, json, hash('sha256', json), ...values)
}

export async function findProposal(
  db: Reader,
  vault_id: string,
  proposal_id: string,
  scopes: readonly Scope[],
): Promise<ProposalReview | undefined> {
  const row = await db.get(byId, vault_id, proposal_id, ...scopeValues(scopes), ...scopeValues(scopes))
  return row && toReview(row)
}

/** The draft as it was proposed, with its digest; one that has been changed since is neither shown nor approved. */
export async function readDraft(
  db: Reader,
  vault_id: string,
  proposal_id: string,
): Promise<{ draft: FlowBundle; draft_digest: string }> {
  const found = await db.get(draftById, vault_id, proposal_id)
  if (!found || hash('sha256', found.draft_json) !== found.draft_hash) {
    throw new StorageDamaged('A stored proposal is not as it was written.')
  }
  return { draft: JSON.parse(found.draft_json) as FlowBundle, draft_digest: `sha256:${found.draft_hash}` }
}

/** Proposals of a vault in the given scopes, newest first, from a place on. */
export async function listProposals(
  db: Reader,
  wanted: {
    vault_id: string
    status: string | undefined
    scopes: readonly Scope[]
    after: Place
    limit: number
  },
): Promise<ProposalReview[]> {
  const { vault_id, status, scopes, after, limit } = wanted
  const page = [...scopeValues(scopes), ...scopeValues(scopes), after.at, after.id, limit]
  const rows =
    status === undefined
      ? await db.all(ofVault, vault_id, ...page)
      : await db.all(ofStatus, vault_id, status, ...page)
  return rows.map(toReview)
}

/** An undecided proposal of exactly this version that the scopes may see, by its id. */
export async function findOpenProposal(
  db: Reader,
  vault_id: string,
  flow_id: string,
  version: string,
  scopes: readonly Scope[],
): Promise<string | undefined> {
  const visible = scopeValues(scopes)
  return (await db.get(openOfVersion, vault_id, flow_id, version, ...visible, ...visible))?.proposal_id
}

/** Whether a vault has at least so many undecided proposals. */
export async function hasOpenProposals(db: Reader, vault_id: string, count: number): Promise<boolean> {
  return (await db.get(nthOpen, vault_id, count - 1)) !== undefined
}

/** Makes other transactions that lock the same proposal wait until this one has ended. */
export async function lockProposal(tx: Transaction, vault_id: string, proposal_id: string): Promise<void> {
  await tx.run(lock, vault_id, proposal_id)
}

export type Evaluation = Pick<
  ProposalReview,
  'evaluation_status' | 'evaluation_comment' | 'evaluated_at' | 'evaluated_by'
>

/** Notes an evaluation of an open proposal; the newest one counts. */
export async function evaluateProposal(
  tx: Transaction,
  vault_id: string,
  proposal_id: string,
  made: Evaluation,
): Promise<void> {
  const values = [made.evaluation_status, made.evaluation_comment, made.evaluated_at, made.evaluated_by]
  await tx.run(evaluate, ...values, vault_id, proposal_id)
}

export type Decision = Pick<ProposalReview, 'status' | 'waiver_reason' | 'decided_at' | 'decided_by'>

/** Closes an open proposal for good. */
export async function decideProposal(
  tx: Transaction,
  vault_id: string,
  proposal_id: string,
  made: Decision,
): Promise<void> {
  const values = [made.status, made.waiver_reason, made.decided_at, made.decided_by]
  await tx.run(decide, ...values, vault_id, proposal_id)
}

function toReview(row: ReviewRow): ProposalReview {
  return {
    ...row,
    schema: PROPOSAL_REVIEW_SCHEMA,
    auto_approvable: row.auto_approvable === 1,
    review_queue: REVIEW_QUEUE,
  }
}
