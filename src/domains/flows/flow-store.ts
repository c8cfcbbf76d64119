import { hash } from 'node:crypto'
import {
  type Reader,
  type SqlValue,
  type Statement,
  StorageDamaged,
  sql,
  type Transaction,
} from '../../platform/storage/database.ts'
import type { Flow, FlowBundle } from './bundle/flow-record.ts'
import { MAX_STEPS_PER_FLOW } from './bundle/limits.ts'
import { versionKey } from './bundle/semver.ts'
import { flowStateId } from './bundle/state-id.ts'
import type { Scope } from './bundle/vocabulary.ts'
import { keepCheckedTexts } from './checked-texts.ts'

/**
 * Documents are stored as the JSON text that goes out, so a read sends them unparsed. Each has a hash
 * beside it: a version that was reviewed is either served as it was approved or not at all.
 */
interface Document {
  json: string
  hash: string
}

const SCOPED = 'scope IN (?, ?, ?)'
const LATEST = (columns: string) => `
  SELECT ${columns} FROM flow_latest l
  JOIN flow_versions v ON v.vault_id = l.vault_id AND v.flow_id = l.flow_id AND v.version = l.version
  WHERE l.vault_id = ? AND l.flow_id = ? AND l.${SCOPED} ORDER BY l.version_key DESC LIMIT 1`
const EXACT = (columns: string) => `
  SELECT ${columns} FROM flow_versions v WHERE v.vault_id = ? AND v.flow_id = ? AND v.${SCOPED} AND v.version = ?`

const documents = { get: readsOf('get'), bundle: readsOf('bundle') }
const checked = keepCheckedTexts()
const latestVersion = sql<{ version: string }>(
  `SELECT version FROM flow_latest WHERE vault_id = ? AND flow_id = ? AND ${SCOPED} ORDER BY version_key DESC LIMIT 1`,
)
const insertVersion = sql(
  `INSERT INTO flow_versions (vault_id, flow_id, version, version_key, scope, state_id, created_at,
    get_json, get_hash, bundle_json, bundle_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
)
const upsertLatest = sql(
  `INSERT INTO flow_latest (vault_id, scope, flow_id, version, version_key, updated, summary_json, summary_hash)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?)
   ON CONFLICT (vault_id, flow_id, scope) DO UPDATE SET version = excluded.version,
     version_key = excluded.version_key, updated = excluded.updated, summary_json = excluded.summary_json,
     summary_hash = excluded.summary_hash
   WHERE excluded.version_key > flow_latest.version_key`,
)
const deleteTags = sql('DELETE FROM flow_tags WHERE vault_id = ? AND scope = ? AND flow_id = ?')
const insertTag = sql(
  'INSERT INTO flow_tags (vault_id, scope, tag, updated, flow_id) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
)

function readsOf(column: 'get' | 'bundle') {
  const hashOnly = `v.${column}_hash AS hash`
  const whole = `v.${column}_json AS json, ${hashOnly}`
  const reads = (select: (columns: string) => string) => ({
    hash: sql<Pick<Document, 'hash'>>(select(hashOnly)),
    whole: sql<Document>(select(whole)),
  })
  return { latest: reads(LATEST), exact: reads(EXACT) }
}

/** Adds an immutable version. Answers false, changing nothing, when the vault already has it. */
export async function insertFlowVersion(
  tx: Transaction,
  vault_id: string,
  bundle: FlowBundle,
  now: Date,
): Promise<boolean> {
  const { flow, steps } = bundle
  const key = versionKey(flow.version)
  const get = getFragment(bundle)
  const whole = JSON.stringify({ flow, steps })
  const place = [vault_id, flow.flow_id, flow.version, key, flow.scope] as const
  const texts = [get, hash('sha256', get), whole, hash('sha256', whole)] as const
  const added = await tx.run(insertVersion, ...place, flowStateId(flow, steps), now.toISOString(), ...texts)
  if (added === 0) return false
  const summary = JSON.stringify(summaryOf(bundle))
  const newest = await tx.run(
    upsertLatest,
    vault_id,
    flow.scope,
    flow.flow_id,
    flow.version,
    key,
    instantOf(flow),
    summary,
    hash('sha256', summary),
  )
  if (newest > 0) await replaceTags(tx, vault_id, flow)
  return true
}

/** Authors may write any offset; order is by the moment meant. */
function instantOf(flow: Flow): string {
  return new Date(flow.updated).toISOString()
}

async function replaceTags(tx: Transaction, vault_id: string, flow: Flow): Promise<void> {
  await tx.run(deleteTags, vault_id, flow.scope, flow.flow_id)
  for (const tag of flow.tags)
    await tx.run(insertTag, vault_id, flow.scope, tag, instantOf(flow), flow.flow_id)
}

/** The tail of a `flow_get` answer: at most so many steps, and said to be cut when there are more. */
function getFragment({ flow, steps }: FlowBundle): string {
  const truncated = flow.truncated || steps.length > MAX_STEPS_PER_FLOW
  const shown = steps.slice(0, MAX_STEPS_PER_FLOW)
  return `"flow":${JSON.stringify({ ...flow, truncated })},"steps":${JSON.stringify(shown)}`
}

function summaryOf({ flow, steps }: FlowBundle) {
  return {
    schema: flow.schema,
    flow_id: flow.flow_id,
    title: flow.title,
    version: flow.version,
    scope: flow.scope,
    summary: flow.summary,
    tags: flow.tags,
    step_count: steps.length,
    updated: flow.updated,
    truncated: flow.truncated || steps.length > MAX_STEPS_PER_FLOW,
  }
}

/** The stored text of a version the scopes may see; without a version, of the latest such one. */
export async function findFlowDocument(
  db: Reader,
  kind: 'get' | 'bundle',
  where: { vault_id: string; flow_id: string; scopes: readonly Scope[]; version: string | undefined },
): Promise<string | undefined> {
  const { vault_id, flow_id, version } = where
  const place = [vault_id, flow_id, ...scopeValues(where.scopes)]
  if (version !== undefined) place.push(version)
  const read = documents[kind][version === undefined ? 'latest' : 'exact']
  // Reading and hashing a long text again costs more than the rest of the call.
  const named = await db.get(read.hash, ...place)
  return named && (checked.find(named.hash) ?? (await findWhole(db, read.whole, place)))
}

async function findWhole(
  db: Reader,
  statement: Statement<Document>,
  place: readonly SqlValue[],
): Promise<string | undefined> {
  const found = await db.get(statement, ...place)
  if (!found) return undefined
  if (hash('sha256', found.json) !== found.hash)
    throw new StorageDamaged('A stored flow version is not as it was written.')
  checked.keep(found.hash, found.json)
  return found.json
}

/** The newest version of a flow among the scopes. */
export async function findLatestVersion(
  db: Reader,
  vault_id: string,
  flow_id: string,
  scopes: readonly Scope[],
): Promise<string | undefined> {
  return (await db.get(latestVersion, vault_id, flow_id, ...scopeValues(scopes)))?.version
}

const versionSeen = sql<{ found: number }>(
  `SELECT 1 AS found FROM flow_versions WHERE vault_id = ? AND flow_id = ? AND ${SCOPED} AND version = ?`,
)

/** Whether this version is there for the scopes to see. */
export async function isFlowVersionVisible(
  db: Reader,
  where: { vault_id: string; flow_id: string; scopes: readonly Scope[]; version: string },
): Promise<boolean> {
  const { vault_id, flow_id, scopes, version } = where
  return (await db.get(versionSeen, vault_id, flow_id, ...scopeValues(scopes), version)) !== undefined
}

/** Fills the three places of a scope list; an empty text matches no scope. */
export function scopeValues(scopes: readonly Scope[]): [SqlValue, SqlValue, SqlValue] {
  return [scopes[0] ?? '', scopes[1] ?? '', scopes[2] ?? '']
}
