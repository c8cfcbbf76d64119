import { hash } from 'node:crypto'
import { type Reader, StorageDamaged, sql } from '../../platform/storage/database.ts'
import type { Scope } from './bundle/bundle-vocabulary.ts'
import { scopeValues } from './flow-store.ts'

interface SummaryRow {
  flow_id: string
  updated: string
  summary_json: string
  summary_hash: string
}

// A flow may have versions in several scopes: only the newest one the caller may see is listed.
const NEWEST_VISIBLE = `NOT EXISTS (SELECT 1 FROM flow_latest o WHERE o.vault_id = f.vault_id
  AND o.flow_id = f.flow_id AND o.scope IN (?, ?, ?) AND o.version_key > f.version_key)`
const IN_ORDER = 'ORDER BY f.updated DESC, f.flow_id LIMIT ?'

const ofScope = sql<SummaryRow>(
  `SELECT f.flow_id, f.updated, f.summary_json, f.summary_hash FROM flow_latest f
   WHERE f.vault_id = ? AND f.scope = ? AND ${NEWEST_VISIBLE} ${IN_ORDER}`,
)
const ofScopeAndTag = sql<SummaryRow>(
  `SELECT f.flow_id, f.updated, f.summary_json, f.summary_hash FROM flow_tags t
   JOIN flow_latest f ON f.vault_id = t.vault_id AND f.flow_id = t.flow_id AND f.scope = t.scope
   WHERE t.vault_id = ? AND t.scope = ? AND t.tag = ? AND ${NEWEST_VISIBLE}
   ORDER BY t.updated DESC, t.flow_id LIMIT ?`,
)

/**
 * The newest flow summaries as JSON texts. `listed` are the scopes asked for; `visible` all that the
 * caller may see, which decide what the latest version is. One bounded index walk for each scope.
 */
export async function listFlowSummaries(
  db: Reader,
  wanted: {
    vault_id: string
    listed: readonly Scope[]
    visible: readonly Scope[]
    tag: string | undefined
    limit: number
  },
): Promise<string[]> {
  const { vault_id, tag, limit } = wanted
  const visible = scopeValues(wanted.visible)
  const parts = await Promise.all(
    wanted.listed.map((scope) =>
      tag === undefined
        ? db.all(ofScope, vault_id, scope, ...visible, limit)
        : db.all(ofScopeAndTag, vault_id, scope, tag, ...visible, limit),
    ),
  )
  return parts.flat().toSorted(byUpdate).slice(0, limit).map(checkedSummary)
}

function byUpdate(a: SummaryRow, b: SummaryRow): number {
  if (a.updated !== b.updated) return a.updated > b.updated ? -1 : 1
  return a.flow_id < b.flow_id ? -1 : 1
}

function checkedSummary({ summary_json, summary_hash }: SummaryRow): string {
  if (hash('sha256', summary_json) !== summary_hash)
    throw new StorageDamaged('A stored flow summary is not as it was written.')
  return summary_json
}
