import {
  type Database,
  type SqlValue,
  StorageDamaged,
  sql,
  type Tail,
  type Transaction,
} from '../storage/database.ts'
import { holdsRows } from '../storage/holds-rows.ts'
import { listTables } from '../storage/migrate.ts'
import { migrations } from '../storage/schema.ts'
import type { AuditKey } from './audit-key.ts'
import { type AuditRecord, chainHash, GENESIS_HASH, storable, valuesOf } from './audit-record.ts'
import { type AuditHead, type ChainEnd, chainEnd } from './chain-end.ts'

/** One transaction appends at most so many waiting records. */
const BATCH_LIMIT = 1_000

const insertHead = sql(
  'INSERT INTO audit_head (only_row, seq, hash, checkpoint_seq, mac) VALUES (1, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
)
const INSERT = `INSERT INTO audit_records (seq, at, vault_id, surface, caller_kind, caller_id, client, operation,
  target_kind, target_id, outcome, code, duration_us, policy_revision, repeats, grant_id, flow_id, flow_version,
  seat_id, request_id, hash) VALUES`
const ROW = `(${Array(21).fill('?').join(', ')})`
/** Under load records come by dozens, and one statement for several rows costs less than one for each. */
const ROWS_AT_ONCE = 8
const inserts = Array.from({ length: ROWS_AT_ONCE }, (_, less) =>
  sql(
    `${INSERT} ${Array(less + 1)
      .fill(ROW)
      .join(', ')}`,
  ),
)
const readKeyId = sql<{ value: string }>(`SELECT value FROM hub_meta WHERE key = 'audit_key_id'`)
const writeKeyId = sql(`INSERT INTO hub_meta (key, value) VALUES ('audit_key_id', ?) ON CONFLICT DO NOTHING`)

export interface AuditLog {
  readonly key: AuditKey
  /** Adds a record on its own; resolves when it is on the disk. Records of one moment share a commit. */
  append(record: AuditRecord): Promise<void>
  /** Adds records inside the transaction of the act they tell of: both happen or neither. */
  appendIn(tx: Transaction, records: readonly AuditRecord[]): Promise<void>
  /**
   * The same at the end of the transaction, where records of several share one move of the chain's end. With `firmly`
   * the witness is on the disk too before anybody hears of the commit: what was decided cannot be lost unnoticed.
   */
  leaveIn(tx: Transaction, records: readonly AuditRecord[], firmly?: boolean): void
  /** The end of the chain, locked until the transaction ends. */
  lockHead(tx: Transaction): Promise<AuditHead>
  /** Writes a new end of the chain with its seal. */
  moveHead(tx: Transaction, head: Omit<AuditHead, 'mac'>): Promise<void>
}

/** Who is told of each end of the chain once it is committed. */
export interface EndNotes {
  note(end: { seq: number; hash: string }, firmly: boolean): void
}

/** Opens the chain, beginning it on a new database; refuses one that was sealed with another key. */
export async function openAuditLog(db: Database, key: AuditKey, notes?: EndNotes): Promise<AuditLog> {
  await beginChain(db, key)
  const end = chainEnd(db.kind, key)
  const append = async (tx: Transaction, records: readonly AuditRecord[], firmly: boolean) => {
    const { seq, hash } = await appendAll(end, tx, records)
    if (notes) tx.afterCommit(() => notes.note({ seq, hash }, firmly))
  }
  const log: AuditLog = {
    key,
    append: (record) => batched(record),
    appendIn: (tx, records) => append(tx, records, false),
    leaveIn: (tx, records, firmly = false) =>
      tx.atEnd(
        tail,
        records.map((record) => ({ record, firmly })),
      ),
    lockHead: end.lock,
    moveHead: end.move,
  }
  const tail: Tail<{ record: AuditRecord; firmly: boolean }> = {
    write: (tx, items) =>
      append(
        tx,
        items.map(({ record }) => record),
        items.some(({ firmly }) => firmly),
      ),
  }
  const batched = batchAppends(db, log)
  return log
}

/** Whether calls have written something. What others keep in the same PostgreSQL, or a store has before them, is no sign of it. */
async function holdsWhatCallsWrote(kind: Database['kind'], tx: Transaction): Promise<boolean> {
  const own = migrations
    .flatMap(({ statements, postgres = [] }) => [...statements, ...postgres])
    .map((text) => /^\s*CREATE TABLE (\w+)/.exec(text)?.[1])
  const tables = (await tx.all(listTables[kind])).map(({ name }) => name)
  const others = tables.filter((name) => !own.includes(name) || name === 'hub_meta')
  return holdsRows(kind, tx, others)
}

async function beginChain(db: Database, key: AuditKey): Promise<void> {
  let owner = await db.get(readKeyId)
  if (!owner) {
    const start = { seq: 0, hash: GENESIS_HASH, checkpoint_seq: 0 }
    await db.transaction(async (tx) => {
      if ((await tx.run(writeKeyId, key.key_id)) === 0) return
      // Nothing is done without a record, so where something is there was a chain, and a new one would hide the loss.
      if (await holdsWhatCallsWrote(db.kind, tx))
        throw new StorageDamaged(
          'The audit log was taken out of the database, and what it tells of is there.',
        )
      await tx.run(insertHead, start.seq, start.hash, start.checkpoint_seq, key.sealHead(start))
    })
    owner = await db.get(readKeyId)
  }
  if (owner?.value !== key.key_id) throw new SealedElsewhere()
}

/** Whether a key has sealed the beginning of a chain here. */
export async function isChainBegun(db: Database): Promise<boolean> {
  return (await db.get(readKeyId)) !== undefined
}

/** Whether a chain has begun here, and with this key. A store that is not made yet has none. */
export async function isSealedWith(db: Database, key: AuditKey): Promise<boolean> {
  const tables = (await db.all(listTables[db.kind])).map(({ name }) => name)
  if (!tables.includes('hub_meta')) return true
  const owner = await db.get(readKeyId)
  return owner === undefined || owner.value === key.key_id
}

/** The chain is sealed with a key that is not the one at hand. */
export class SealedElsewhere extends Error {
  constructor() {
    super(
      'The audit chain of this database is sealed with another key. Copy the audit-key file of the home that began it, or set KNOWTATION_AUDIT_KEY.',
    )
  }
}

/** Answers where the chain ends then. */
async function appendAll(end: ChainEnd, tx: Transaction, records: readonly AuditRecord[]) {
  const known = await end.moveOn(tx, (head) => chainOnto(head, records))
  const next = known ?? chainOnto(await end.lock(tx), records)
  await insertRows(tx, next.rows)
  if (!known) await end.move(tx, next)
  return next
}

/** The records as rows behind the end of the chain, and the end that they make. */
function chainOnto({ seq, hash, checkpoint_seq }: AuditHead, records: readonly AuditRecord[]) {
  const rows: SqlValue[][] = []
  for (const given of records) {
    const record = storable(given)
    hash = chainHash(++seq, hash, record)
    rows.push([seq, ...valuesOf(record), hash])
  }
  return { rows, seq, hash, checkpoint_seq }
}

async function insertRows(tx: Transaction, rows: readonly (readonly SqlValue[])[]): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const some = rows.slice(at, at + ROWS_AT_ONCE)
    await tx.run(inserts[some.length - 1] as (typeof inserts)[0], ...some.flat()).catch((error: unknown) => {
      // Only who writes past the chain leaves a record where the next one belongs.
      if (!isTaken(error)) throw error
      throw new StorageDamaged('A record lies beyond the end of the audit chain.', { cause: error })
    })
  }
}

/** Whether a row was refused because its key is there already. */
const isTaken = (error: unknown) =>
  ['SQLITE_CONSTRAINT_PRIMARYKEY', 'SQLITE_CONSTRAINT_ROWID', '23505'].includes(
    (error as { code?: string }).code ?? '',
  )

/** Whatever arrives before the pending transaction begins to write rides along with it. */
function batchAppends(db: Database, log: AuditLog): (record: AuditRecord) => Promise<void> {
  let open: { records: AuditRecord[]; written: Promise<void> } | undefined
  return (record) => {
    if (!open || open.records.length >= BATCH_LIMIT) {
      const records: AuditRecord[] = []
      const shut = () => void (open?.records === records && (open = undefined))
      const write = async (tx: Transaction) => {
        shut()
        log.leaveIn(tx, records)
      }
      const written = db.transaction(write).finally(shut)
      open = { records, written }
    }
    open.records.push(record)
    return open.written
  }
}
