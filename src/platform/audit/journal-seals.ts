import { type Reader, sql } from '../storage/database.ts'
import { SEAL_KIND } from './ledger-journal.ts'

/** What a record of the audit log says of the journal. */
export interface JournalSeal {
  /** The record's own number. */
  seq: number
  at: string
  vault_id: string
  /** The journal's step and its hash. */
  number: number
  hash: string
  /** Whose chain that step moved, and how far. */
  tenant_digest: string
  tenant_seq: number
}

/** So many records are looked through at once: the log has no index but its order. */
const STRETCH = 5_000

interface Row {
  seq: number
  at: string
  vault_id: string
  target_id: string | null
}

const bounds = sql<{ low: number | null; high: number | null }>(
  'SELECT (SELECT MIN(seq) FROM audit_records) AS low, (SELECT MAX(seq) FROM audit_records) AS high',
)
const inStretch = sql<Row>(
  `SELECT seq, at, vault_id, target_id FROM audit_records
   WHERE seq > ? AND seq <= ? AND target_kind = '${SEAL_KIND}' ORDER BY seq`,
)
const newestInStretch = sql<Row>(
  `SELECT seq, at, vault_id, target_id FROM audit_records
   WHERE seq > ? AND seq <= ? AND target_kind = '${SEAL_KIND}' ORDER BY seq DESC LIMIT 1`,
)

/** The first and the last record that the log still has. */
export async function readBounds(db: Reader): Promise<{ low: number; high: number }> {
  const { low, high } = (await db.get(bounds)) ?? { low: null, high: null }
  return { low: low ?? 1, high: high ?? 0 }
}

/** All that the audit log says of the journal, oldest first, in pieces. */
export async function* listSeals(db: Reader): AsyncGenerator<JournalSeal[]> {
  const { low, high } = await readBounds(db)
  for (let at = low - 1; at < high; at += STRETCH) {
    const rows = await db.all(inStretch, at, Math.min(at + STRETCH, high))
    if (rows.length > 0) yield rows.map(readSeal)
  }
}

/** The last that the audit log says of the journal. */
export async function findNewestSeal(db: Reader): Promise<JournalSeal | undefined> {
  const { low, high } = await readBounds(db)
  for (let at = high; at >= low; at -= STRETCH) {
    const row = await db.get(newestInStretch, Math.max(at - STRETCH, low - 1), at)
    if (row) return readSeal(row)
  }
  return undefined
}

/** A record that says nothing of that form says of a step that no journal has: it is found to be missing. */
function readSeal({ seq, at, vault_id, target_id }: Row): JournalSeal {
  const [number = '', hash = '', tenant_digest = '', tenant_seq = ''] = (target_id ?? '').split(':')
  return { seq, at, vault_id, number: Number(number), hash, tenant_digest, tenant_seq: Number(tenant_seq) }
}
