import { type Database, type Reader, sql } from '../storage/database.ts'
import type { AuditKey } from './audit-key.ts'
import { GENESIS_HASH } from './audit-record.ts'
import type { AuditHead } from './chain-end.ts'
import { ChainFault, type Place, walkRecords } from './verify-chain.ts'

/** One step looks at no more records than this. */
const STEP_RECORDS = 20_000

const readHead = sql<AuditHead>('SELECT seq, hash, checkpoint_seq, mac FROM audit_head WHERE only_row = 1')
const hashOfCheckpoint = sql<{ hash: string }>('SELECT hash FROM audit_checkpoints WHERE seq = ?')
const KEY = 'audit_verified'
const read = sql<{ value: string }>(`SELECT value FROM hub_meta WHERE key = '${KEY}'`)
const write = sql(
  `INSERT INTO hub_meta (key, value) VALUES ('${KEY}', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
)

/** What looking in the background has found. */
export interface Verified {
  /** When the whole chain was last found sound, and up to which record. */
  readonly good_at: string | null
  readonly good_seq: number | null
  /** The first record that is not as written, as far as is known. */
  readonly bad_seq: number | null
  readonly fault: string | null
}

const NOTHING: Verified = { good_at: null, good_seq: null, bad_seq: null, fault: null }

/** What was found last, by any hub of the store. */
export async function findVerified(db: Reader): Promise<Verified> {
  const found = await db.get(read)
  return found ? { ...NOTHING, ...(JSON.parse(found.value) as Partial<Verified>) } : NOTHING
}

/** Walks the chain a stretch at a time, and from its beginning again when it has come to the end. */
export function slowVerifier(db: Database, key: AuditKey) {
  let place: Place | undefined
  const step = async (): Promise<'under way' | Partial<Verified>> => {
    const head = await db.get(readHead)
    if (!head || head.mac !== key.sealHead(head)) throw new ChainFault('The head of the chain was changed.')
    if (!place || place.seq < head.checkpoint_seq) place = await beginningOf(db, head)
    const last = Math.min(head.seq, place.seq + STEP_RECORDS)
    const counts = { records: 0, last_seq: place.seq }
    place = await walkRecords(db, place, last, counts, () => new Promise((turn) => setImmediate(turn)))
    if (place.seq < last) throw new ChainFault(`Record ${place.seq + 1} is missing.`)
    if (place.seq < head.seq) return 'under way'
    if (place.hash !== head.hash) throw new ChainFault(`Record ${place.seq} was changed.`)
    place = undefined
    return { good_seq: head.seq }
  }
  /** One step. Answers a fault that was not known before, if there is one. */
  return async (now: Date): Promise<string | undefined> => {
    const before = await findVerified(db)
    try {
      const found = await step()
      if (found !== 'under way') await keep(db, { ...NOTHING, ...found, good_at: now.toISOString() })
      return undefined
    } catch (error) {
      if (!(error instanceof ChainFault) || (await isPruned(db, place))) return undefined
      place = undefined
      const bad_seq = Number(/Record (\d+)/.exec(error.message)?.[1] ?? 0)
      await keep(db, { ...before, bad_seq, fault: error.message })
      return before.fault === error.message ? undefined : error.message
    }
  }
}

async function keep(db: Database, found: Verified): Promise<void> {
  await db.transaction((tx) => tx.run(write, JSON.stringify(found)))
}

async function beginningOf(db: Reader, { checkpoint_seq: seq }: AuditHead): Promise<Place> {
  if (seq === 0) return { seq, hash: GENESIS_HASH }
  const found = await db.get(hashOfCheckpoint, seq)
  if (!found) throw new ChainFault(`The checkpoint at ${seq} is missing.`)
  return { seq, hash: found.hash }
}

/** Records that went by pruning meanwhile are not missing. */
async function isPruned(db: Reader, place: Place | undefined): Promise<boolean> {
  return place !== undefined && ((await db.get(readHead))?.checkpoint_seq ?? 0) > place.seq
}
