import { counted } from '../basics/printable.ts'
import { type Database, type Reader, sql } from '../storage/database.ts'
import { listTables } from '../storage/migrate.ts'
import { StorageBehind } from '../storage/open-database.ts'
import type { Sealed } from './witness.ts'

const readEnd = sql<{ seq: number; hash: string; checkpoint_seq: number }>(
  'SELECT seq, hash, checkpoint_seq FROM audit_head WHERE only_row = 1',
)
const hashOfRecord = sql<{ hash: string }>('SELECT hash FROM audit_records WHERE seq = ?')
const hashOfCheckpoint = sql<{ hash: string }>('SELECT hash FROM audit_checkpoints WHERE seq = ?')
const KEY = 'audit_witness'
const readBegun = sql<{ value: string }>(`SELECT value FROM hub_meta WHERE key = '${KEY}'`)
const writeBegun = sql(
  `INSERT INTO hub_meta (key, value) VALUES ('${KEY}', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
)

/** What is missing from a store: the records after the first number, up to the second. */
export interface Loss {
  readonly after_seq: number
  readonly last_seq: number
  /** What is wrong, for a person. */
  readonly reason: string
}

/** What the store lacks of what was once sealed; undefined where it has all of it. */
export async function findLoss(db: Database, witnessed: Sealed, path: string): Promise<Loss | undefined> {
  const { seq: last_seq, hash, at } = witnessed
  const sealed = `by ${path} record ${last_seq} was sealed at ${at}`
  const end = await findEnd(db)
  const after_seq = end?.seq ?? 0
  if (after_seq < last_seq) {
    const ends = end ? `ends at record ${after_seq}` : 'is gone'
    const missing = `${counted(last_seq - after_seq, 'record')} and what they tell of are missing`
    const reason = `The audit log ${ends}, but ${sealed}: ${missing}, a revocation or a lock perhaps among it.`
    return { after_seq, last_seq, reason }
  }
  const found = end && (await hashAt(db, end.checkpoint_seq, last_seq))
  if (found === undefined || found === hash) return undefined
  return { after_seq, last_seq, reason: `Record ${last_seq} of the audit log is another one: ${sealed}.` }
}

/** Where the chain of a store ends, as far as it has one. */
export async function findEnd(db: Database) {
  const tables = (await db.all(listTables[db.kind])).map(({ name }) => name)
  return tables.includes('audit_head') ? db.get(readEnd) : undefined
}

/** The hash of a record that is kept, or of one where pruning has cut; undefined for one that went with a prune. */
async function hashAt(db: Reader, checkpoint_seq: number, seq: number): Promise<string | undefined> {
  if (seq < checkpoint_seq) return undefined
  const found = await db.get(seq === checkpoint_seq ? hashOfCheckpoint : hashOfRecord, seq)
  // A record that is missing from the middle of the chain is what `audit verify` tells of.
  return found?.hash
}

/** Why a store that is behind is not opened, and the ways out. */
export function behind(place: string, { reason }: Loss): StorageBehind {
  return new StorageBehind(
    `${place}: ${reason} Nothing was changed. Put back the files as they were (the database with its -wal and the ` +
      'audit-witness), or restore a backup with `knowtation backup restore`; to go on as it is, on record: ' +
      '`knowtation audit accept-loss`.',
  )
}

/** Since when the store has a witness beside it, where it has one. */
export async function findWitnessed(db: Reader): Promise<{ since_seq: number; at: string } | undefined> {
  const found = await db.get(readBegun)
  return found && (JSON.parse(found.value) as { since_seq: number; at: string })
}

/** Notes in the store that a witness lies beside it, so that one that is taken away is missed. */
export async function noteWitnessed(db: Database, since_seq: number, now: Date): Promise<void> {
  const value = JSON.stringify({ since_seq, at: now.toISOString() })
  await db.transaction((tx) => tx.run(writeBegun, value))
}
