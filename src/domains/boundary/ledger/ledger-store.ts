import { type Reader, sql, type Transaction } from '../../../platform/storage/database.ts'
import { type LedgerRow, valuesOf } from './ledger-record.ts'

/** The end of a tenant's chain, with its seal. */
export interface LedgerHead {
  seq: number
  hash: string
  mac: string
}

const COLUMNS = `vault_id, tenant_id, seq, id, robot_id, module, source, type, state, payload_json,
  depends_on_json, execution_id, event_key, created_at, hash`

const beginHead = sql(
  `INSERT INTO ledger_heads (vault_id, tenant_id, seq, hash, mac) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
)
// Changes nothing, but lets only one transaction at a time go on with the chain.
const lock = sql('UPDATE ledger_heads SET seq = seq WHERE vault_id = ? AND tenant_id = ?')
const readHead = sql<LedgerHead>(
  'SELECT seq, hash, mac FROM ledger_heads WHERE vault_id = ? AND tenant_id = ?',
)
const moveHead = sql(
  'UPDATE ledger_heads SET seq = ?, hash = ?, mac = ? WHERE vault_id = ? AND tenant_id = ?',
)
const insert = sql(
  `INSERT INTO ledger_entries (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
)
const insertLink = sql('INSERT INTO ledger_links (vault_id, id, depends_on) VALUES (?, ?, ?)')
const byId = sql<LedgerRow>(`SELECT ${COLUMNS} FROM ledger_entries WHERE vault_id = ? AND id = ?`)
const OLDER = '(created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT ?'
const ofVault = sql<LedgerRow>(`SELECT ${COLUMNS} FROM ledger_entries WHERE vault_id = ? AND ${OLDER}`)
const ofTenant = sql<LedgerRow>(
  `SELECT ${COLUMNS} FROM ledger_entries WHERE vault_id = ? AND tenant_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
)
const stretch = sql<LedgerRow>(
  `SELECT ${COLUMNS} FROM ledger_entries
   WHERE vault_id = ? AND tenant_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
)
const parents = sql<{ id: string }>(
  'SELECT depends_on AS id FROM ledger_links WHERE vault_id = ? AND id = ? ORDER BY depends_on LIMIT ?',
)
const children = sql<{ id: string }>(
  'SELECT id FROM ledger_links WHERE vault_id = ? AND depends_on = ? ORDER BY id LIMIT ?',
)
const candidates = sql<{ id: string; created_at: string }>(
  `SELECT id, created_at FROM ledger_entries
   WHERE vault_id = ? AND tenant_id = ? AND type <> ? AND created_at <= ? ORDER BY seq DESC LIMIT ?`,
)

/** The end of a tenant's chain, locked until the transaction ends; a tenant without one gets it. */
export async function lockHead(
  tx: Transaction,
  where: { vault_id: string; tenant_id: string },
  first: LedgerHead,
): Promise<LedgerHead | undefined> {
  const place = [where.vault_id, where.tenant_id] as const
  if ((await tx.run(lock, ...place)) === 0) {
    await tx.run(beginHead, ...place, first.seq, first.hash, first.mac)
    await tx.run(lock, ...place)
  }
  return tx.get(readHead, ...place)
}

export async function findHead(db: Reader, vault_id: string, tenant_id: string) {
  return db.get(readHead, vault_id, tenant_id)
}

/** Writes the new end of a chain. */
export async function writeHead(
  tx: Transaction,
  where: { vault_id: string; tenant_id: string },
  head: LedgerHead,
): Promise<void> {
  await tx.run(moveHead, head.seq, head.hash, head.mac, where.vault_id, where.tenant_id)
}

/** Adds entries with their links. There is no statement that changes or removes one. */
export async function insertEntries(tx: Transaction, rows: readonly LedgerRow[]): Promise<void> {
  await tx.runEach(
    insert,
    rows.map((row) => [...valuesOf(row), row.hash]),
  )
  const links = rows.flatMap(({ vault_id, id, depends_on_json }) =>
    (JSON.parse(depends_on_json) as string[]).map((source) => [vault_id, id, source]),
  )
  if (links.length > 0) await tx.runEach(insertLink, links)
}

export async function findEntry(db: Reader, vault_id: string, id: string): Promise<LedgerRow | undefined> {
  return db.get(byId, vault_id, id)
}

/** Entries of a vault, newest first, from a place on. */
export async function listEntries(
  db: Reader,
  wanted: { vault_id: string; after: { at: string; id: string }; limit: number },
): Promise<LedgerRow[]> {
  return db.all(ofVault, wanted.vault_id, wanted.after.at, wanted.after.id, wanted.limit)
}

/** Entries of one tenant, newest first, before a number. */
export async function listTenantEntries(
  db: Reader,
  wanted: { vault_id: string; tenant_id: string; before_seq: number; limit: number },
): Promise<LedgerRow[]> {
  return db.all(ofTenant, wanted.vault_id, wanted.tenant_id, wanted.before_seq, wanted.limit)
}

/** A stretch of a tenant's chain, oldest first. */
export async function readStretch(
  db: Reader,
  where: { vault_id: string; tenant_id: string },
  range: { after_seq: number; last_seq: number; limit: number },
): Promise<LedgerRow[]> {
  const { after_seq, last_seq, limit } = range
  return db.all(stretch, where.vault_id, where.tenant_id, after_seq, last_seq, limit)
}

/** What an entry was made from (`up`) or what was made from it (`down`). */
export async function findNeighbours(
  db: Reader,
  where: { vault_id: string; id: string; direction: 'up' | 'down' },
  limit: number,
): Promise<string[]> {
  const statement = where.direction === 'up' ? parents : children
  return (await db.all(statement, where.vault_id, where.id, limit)).map(({ id }) => id)
}

/** A tenant's newest entries up to a moment that are not of a type, as ids and moments. */
export async function listCandidates(
  db: Reader,
  wanted: { vault_id: string; tenant_id: string; not_type: string; until: string; limit: number },
): Promise<{ id: string; createdAt: string }[]> {
  const { vault_id, tenant_id, not_type, until, limit } = wanted
  const rows = await db.all(candidates, vault_id, tenant_id, not_type, until, limit)
  return rows.map(({ id, created_at }) => ({ id, createdAt: created_at }))
}
