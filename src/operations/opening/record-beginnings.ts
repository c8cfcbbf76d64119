import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { endRestored } from '../../platform/approvals/approval-moves.ts'
import { endPermits } from '../../platform/approvals/permits.ts'
import type { Loss } from '../../platform/audit/check-witness.ts'
import type { Home } from '../../platform/basics/home.ts'
import { findFile, syncPath } from '../../platform/basics/private-file.ts'
import { Restoration } from '../../platform/storage/backup/restoration.ts'
import { type Reader, StorageDamaged, sql } from '../../platform/storage/database.ts'
import type { Hub } from '../hub.ts'
import { hubRecord } from '../hub-record.ts'

const read = sql<{ value: string }>('SELECT value FROM hub_meta WHERE key = ?')
const write = sql(
  'INSERT INTO hub_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
)
const RESTORED = 'restored'
const LOSS = 'audit_loss'

/** What a restore has left to be put on record, if it has. A note that cannot be read stops the start. */
export function findRestored({ restored }: Home): Restoration | undefined {
  const text = findFile(restored)
  if (text === undefined) return undefined
  try {
    return Restoration.parse(JSON.parse(text))
  } catch (cause) {
    throw new StorageDamaged(`${restored} cannot be read. Make the restore again.`, { cause })
  }
}

type Beginning = Pick<Hub, 'audit' | 'db' | 'home' | 'system'>

/** The first record of a restored home says from what and as of when. */
export async function recordRestored(hub: Beginning, restoration: Restoration): Promise<void> {
  const { restore_id, backup, as_of } = restoration
  const known = await findRestoration(hub.db)
  // Killed before the note was taken away it is found again.
  if (known?.restore_id !== restore_id) {
    const record = hubRecord(hub, 'home_restored', 'default', {
      kind: 'backup',
      id: `${backup} as of ${as_of}`,
    })
    await hub.db.transaction(async (tx) => {
      await tx.run(write, RESTORED, JSON.stringify(restoration))
      await endRestored(tx, hub.system.now())
      await endPermits(tx)
      hub.audit.leaveIn(tx, [record], true)
    })
  }
  rmSync(hub.home.restored, { force: true })
  syncPath(dirname(hub.home.restored))
}

/** What this home was last restored from, if it was. */
export async function findRestoration(db: Reader): Promise<Restoration | undefined> {
  const found = await db.get(read, RESTORED)
  return found && Restoration.parse(JSON.parse(found.value))
}

/** What the owner has gone on without. */
export interface AcceptedLoss {
  readonly after_seq: number
  readonly last_seq: number
  readonly accepted_at: string
}

/** Puts on record that the owner goes on without what was lost. */
export async function recordLoss(hub: Beginning, loss: Loss | undefined): Promise<void> {
  if (!loss) return
  const { after_seq, last_seq } = loss
  const id = last_seq > after_seq ? `${after_seq + 1} to ${last_seq}` : `unknown after ${after_seq}`
  const accepted: AcceptedLoss = { after_seq, last_seq, accepted_at: hub.system.now().toISOString() }
  const record = hubRecord(hub, 'audit_loss_accepted', 'default', { kind: 'audit_records', id })
  await hub.db.transaction(async (tx) => {
    await tx.run(write, LOSS, JSON.stringify(accepted))
    hub.audit.leaveIn(tx, [record], true)
  })
}

export async function findAcceptedLoss(db: Reader): Promise<AcceptedLoss | undefined> {
  const found = await db.get(read, LOSS)
  return found && (JSON.parse(found.value) as AcceptedLoss)
}
