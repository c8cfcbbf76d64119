import { type Database, StorageDamaged, sql, type Transaction } from '../storage/database.ts'
import type { AuditKey } from './audit-key.ts'

export interface AuditHead {
  seq: number
  hash: string
  checkpoint_seq: number
  mac: string
}

type Unsealed = Omit<AuditHead, 'mac'>

const readHead = sql<AuditHead>('SELECT seq, hash, checkpoint_seq, mac FROM audit_head WHERE only_row = 1')
// Hubs that share a PostgreSQL take turns at the end of the chain.
const lockHead = sql<AuditHead>(
  'SELECT seq, hash, checkpoint_seq, mac FROM audit_head WHERE only_row = 1 FOR UPDATE',
)
const MOVE = 'UPDATE audit_head SET seq = ?, hash = ?, checkpoint_seq = ?, mac = ? WHERE only_row = 1'
const moveHead = sql(MOVE)
const moveKnown = sql(`${MOVE} AND seq = ? AND hash = ? AND checkpoint_seq = ? AND mac = ?`)

/** The end of the chain as it stands in the database, sealed with the key. */
export interface ChainEnd {
  /** What it is, locked until the transaction ends. */
  lock(tx: Transaction): Promise<AuditHead>
  move(tx: Transaction, to: Unsealed): Promise<void>
  /**
   * Moves it to what follows from the one that this process has put there last, in one statement. Answers what was
   * made of it, or undefined where the end in the database is another one by now: then nothing was changed.
   */
  moveOn<Next extends Unsealed>(tx: Transaction, next: (from: AuditHead) => Next): Promise<Next | undefined>
}

/**
 * A head that was changed without the key is never built upon: the next seal would make the change look right. Most
 * heads are the one that this process sealed last, so the check is usually a comparison.
 */
export function chainEnd(kind: Database['kind'], key: AuditKey): ChainEnd {
  let last: AuditHead | undefined
  const sealed = (head: Unsealed): AuditHead => {
    const { seq, hash, checkpoint_seq } = head
    return { seq, hash, checkpoint_seq, mac: key.sealHead(head) }
  }
  return {
    async lock(tx) {
      const head = await tx.get(kind === 'postgres' ? lockHead : readHead)
      if (!head) throw new StorageDamaged('The audit chain has no head.')
      if (!isSame(head, last) && key.sealHead(head) !== head.mac)
        throw new StorageDamaged(
          'The head of the audit chain was changed from outside. Run `knowtation audit verify`.',
        )
      return head
    },
    async move(tx, to) {
      const head = sealed(to)
      await tx.run(moveHead, ...valuesOf(head))
      last = head
    },
    async moveOn(tx, next) {
      // Hubs that share a PostgreSQL would miss each other's end with most tries.
      if (!last || kind === 'postgres') return undefined
      const to = next(last)
      const head = sealed(to)
      if ((await tx.run(moveKnown, ...valuesOf(head), ...valuesOf(last))) === 0) return undefined
      last = head
      return to
    },
  }
}

function valuesOf({ seq, hash, checkpoint_seq, mac }: AuditHead) {
  return [seq, hash, checkpoint_seq, mac] as const
}

function isSame(one: AuditHead, other: AuditHead | undefined): boolean {
  return (
    other !== undefined &&
    other.mac === one.mac &&
    other.seq === one.seq &&
    other.hash === one.hash &&
    other.checkpoint_seq === one.checkpoint_seq
  )
}
