import { hash } from 'node:crypto'
import {
  type Reader,
  type SqlValue,
  StorageDamaged,
  sql,
  type Transaction,
} from '../../platform/storage/database.ts'
import type { Scope } from './bundle/bundle-vocabulary.ts'
import type { Flow, FlowBundle } from './bundle/flow-record.ts'
import { MAX_STEPS_PER_FLOW } from './bundle/limits.ts'
import { versionKey } from './bundle/semver.ts'
import { flowStateId } from './bundle/state-id.ts'
import { keepCheckedTexts } from './checked-texts.ts'

/**
 * Documents are stored as the JSON text that goes out, so a read sends them unparsed. Each has a hash
 * beside it: a version that was reviewed is either served as it was approved or not at all.
 */
interface VersionHead {
  scope: Scope
  version: string
  version_key: string
  get_hash: string
  bundle_hash: string
}

const HEAD = 'scope, version, version_key, get_hash, bundle_hash'
// One row for each scope at the most, so the newest visible one is picked here, without a sort.
const latestHeads = sql<VersionHead>(`SELECT ${HEAD} FROM flow_latest WHERE vault_id = ? AND flow_id = ?`)
const exactHead = sql<VersionHead>(
  `SELECT ${HEAD} FROM flow_versions WHERE vault_id = ? AND flow_id = ? AND version = ?`,
)
const texts = {
  get: sql<{ json: string }>(
    'SELECT get_json AS json FROM flow_versions WHERE vault_id = ? AND flow_id = ? AND version = ?',
  ),
  bundle: sql<{ json: string }>(
    'SELECT bundle_json AS json FROM flow_versions WHERE vault_id = ? AND flow_id = ? AND version = ?',
  ),
}
const checked = keepCheckedTexts()
const insertVersion = sql(
  `INSERT INTO flow_versions (vault_id, flow_id, version, version_key, scope, state_id, created_at,
    get_json, get_hash, bundle_json, bundle_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
)
const upsertLatest = sql(
  `INSERT INTO flow_latest (vault_id, scope, flow_id, version, version_key, updated, get_hash, bundle_hash,
     summary_json, summary_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
   ON CONFLICT (vault_id, flow_id, scope) DO UPDATE SET version = excluded.version,
     version_key = excluded.version_key, updated = excluded.updated, get_hash = excluded.get_hash,
     bundle_hash = excluded.bundle_hash, summary_json = excluded.summary_json, summary_hash = excluded.summary_hash
   WHERE excluded.version_key > flow_latest.version_key`,
)
const deleteTags = sql('DELETE FROM flow_tags WHERE vault_id = ? AND scope = ? AND flow_id = ?')
const insertTag = sql(
  'INSERT INTO flow_tags (vault_id, scope, tag, updated, flow_id) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
)

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
  const hashes = [hash('sha256', get), hash('sha256', whole)] as const
  const stored = [get, hashes[0], whole, hashes[1]] as const
  const added = await tx.run(insertVersion, ...place, flowStateId(flow, steps), now.toISOString(), ...stored)
  if (added === 0) return false
  const summary = JSON.stringify(summaryOf(bundle))
  const head = [vault_id, flow.scope, flow.flow_id, flow.version, key, instantOf(flow), ...hashes] as const
  const newest = await tx.run(upsertLatest, ...head, summary, hash('sha256', summary))
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

/** Where a version is looked for, and who looks. */
interface Wanted {
  vault_id: string
  flow_id: string
  scopes: readonly Scope[]
}

/** The stored text of a version the scopes may see; without a version, of the latest such one. */
export async function findFlowDocument(
  db: Reader,
  kind: 'get' | 'bundle',
  where: Wanted & { version: string | undefined },
): Promise<string | undefined> {
  const { version } = where
  const head =
    version === undefined ? await findLatest(db, where) : await findExact(db, { ...where, version })
  if (!head) return undefined
  // Reading and hashing a long text again costs more than the rest of the call.
  return checked.find(hashOf(head, kind)) ?? requireText(db, kind, where, head)
}

function hashOf(head: VersionHead, kind: 'get' | 'bundle'): string {
  return kind === 'get' ? head.get_hash : head.bundle_hash
}

async function requireText(
  db: Reader,
  kind: 'get' | 'bundle',
  where: Wanted,
  head: VersionHead,
): Promise<string> {
  const found = await db.get(texts[kind], where.vault_id, where.flow_id, head.version)
  const expected = hashOf(head, kind)
  if (!found || hash('sha256', found.json) !== expected)
    throw new StorageDamaged('A stored flow version is not as it was written.')
  checked.keep(expected, found.json)
  return found.json
}

async function findLatest(
  db: Reader,
  { vault_id, flow_id, scopes }: Wanted,
): Promise<VersionHead | undefined> {
  let latest: VersionHead | undefined
  for (const head of await db.all(latestHeads, vault_id, flow_id)) {
    if (scopes.includes(head.scope) && !(latest && latest.version_key > head.version_key)) latest = head
  }
  return latest
}

async function findExact(
  db: Reader,
  { vault_id, flow_id, scopes, version }: Wanted & { version: string },
): Promise<VersionHead | undefined> {
  const head = await db.get(exactHead, vault_id, flow_id, version)
  return head && scopes.includes(head.scope) ? head : undefined
}

/** The newest version of a flow among the scopes. */
export async function findLatestVersion(
  db: Reader,
  vault_id: string,
  flow_id: string,
  scopes: readonly Scope[],
): Promise<string | undefined> {
  return (await findLatest(db, { vault_id, flow_id, scopes }))?.version
}

/** Whether this version is there for the scopes to see. */
export async function isFlowVersionVisible(
  db: Reader,
  wanted: Wanted & { version: string },
): Promise<boolean> {
  return (await findExact(db, wanted)) !== undefined
}

/** Fills the three places of a scope list; an empty text matches no scope. */
export function scopeValues(scopes: readonly Scope[]): [SqlValue, SqlValue, SqlValue] {
  return [scopes[0] ?? '', scopes[1] ?? '', scopes[2] ?? '']
}
