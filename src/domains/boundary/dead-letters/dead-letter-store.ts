import type { AuditKey } from '../../../platform/audit/audit-key.ts'
import { type Reader, sql, type Transaction } from '../../../platform/storage/database.ts'

/** An accepted answer that could not be written to the ledger. */
export interface DeadLetterRow {
  vault_id: string
  dead_letter_id: string
  run_id: string
  attempt: number
  reason: string
  created_at: string
  replayed_at: string | null
  duration_ms: number
  /** Gone once it has been replayed: the ledger has it then. */
  output_json: string | null
  /** The seal of what it says: it becomes an entry of the ledger as it stands. */
  mac: string | null
}

const COLUMNS = `vault_id, dead_letter_id, run_id, attempt, reason, created_at, replayed_at, duration_ms, output_json, mac`
const insert = sql(`INSERT INTO boundary_dead_letters (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, NULL, ?, ?, ?)`)
const unsealed = sql<DeadLetterRow>(
  `SELECT ${COLUMNS} FROM boundary_dead_letters WHERE mac IS NULL AND output_json IS NOT NULL`,
)
const seal = sql('UPDATE boundary_dead_letters SET mac = ? WHERE vault_id = ? AND dead_letter_id = ?')
const lock = sql(
  'UPDATE boundary_dead_letters SET attempt = attempt WHERE vault_id = ? AND dead_letter_id = ?',
)
const byId = sql<DeadLetterRow>(
  `SELECT ${COLUMNS} FROM boundary_dead_letters WHERE vault_id = ? AND dead_letter_id = ?`,
)
const page = sql<DeadLetterRow>(
  `SELECT ${COLUMNS} FROM boundary_dead_letters
   WHERE vault_id = ? AND (created_at, dead_letter_id) < (?, ?) ORDER BY created_at DESC, dead_letter_id DESC LIMIT ?`,
)
const settle = sql(
  'UPDATE boundary_dead_letters SET replayed_at = ?, output_json = NULL WHERE vault_id = ? AND dead_letter_id = ?',
)

type Unsealed = Omit<DeadLetterRow, 'replayed_at' | 'mac'>

/** The seal of a dead letter: for what it says, of which attempt. */
export function sealOfLetter(key: AuditKey, letter: Unsealed): string {
  const { vault_id, dead_letter_id, run_id, attempt, duration_ms, output_json } = letter
  const hash = JSON.stringify(['dead letter', vault_id, dead_letter_id, run_id, duration_ms, output_json])
  return key.sealHead({ seq: attempt, hash, checkpoint_seq: 0 })
}

/** Seals the letters of the time before they were sealed. */
export async function sealDeadLetters(tx: Transaction, key: AuditKey): Promise<void> {
  const found = await tx.all(unsealed)
  if (found.length === 0) return
  await tx.runEach(
    seal,
    found.map((letter) => [sealOfLetter(key, letter), letter.vault_id, letter.dead_letter_id]),
  )
}

export async function storeDeadLetter(tx: Transaction, key: AuditKey, row: Unsealed): Promise<void> {
  const { vault_id, dead_letter_id, run_id, attempt, reason, created_at, duration_ms, output_json } = row
  await tx.run(
    insert,
    vault_id,
    dead_letter_id,
    run_id,
    attempt,
    reason,
    created_at,
    duration_ms,
    output_json,
    sealOfLetter(key, row),
  )
}

/** A dead letter that nobody else replays until the transaction ends. */
export async function lockDeadLetter(tx: Transaction, vault_id: string, dead_letter_id: string) {
  if ((await tx.run(lock, vault_id, dead_letter_id)) === 0) return undefined
  return tx.get(byId, vault_id, dead_letter_id)
}

/** Dead letters of a vault, newest first, from a place on. */
export async function listDeadLetters(
  db: Reader,
  wanted: { vault_id: string; after: { at: string; id: string }; limit: number },
): Promise<DeadLetterRow[]> {
  return db.all(page, wanted.vault_id, wanted.after.at, wanted.after.id, wanted.limit)
}

/** Marks a dead letter as written to the ledger after all. */
export async function settleDeadLetter(
  tx: Transaction,
  { vault_id, dead_letter_id }: DeadLetterRow,
  now: Date,
): Promise<void> {
  await tx.run(settle, now.toISOString(), vault_id, dead_letter_id)
}
