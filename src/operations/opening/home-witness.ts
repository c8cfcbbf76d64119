import { existsSync, renameSync } from 'node:fs'
import { setImmediate as nextCallback } from 'node:timers/promises'
import type { AuditKey } from '../../platform/audit/audit-key.ts'
import type { EndNotes } from '../../platform/audit/audit-log.ts'
import { isSealedWith } from '../../platform/audit/audit-log.ts'
import {
  behind,
  findEnd,
  findLoss,
  findWitnessed,
  type Loss,
  noteWitnessed,
} from '../../platform/audit/check-witness.ts'
import { openWitness, readWitness, type Sealed, type Witness } from '../../platform/audit/witness.ts'
import type { Home } from '../../platform/basics/home.ts'
import type { Log } from '../../platform/basics/plain-log.ts'
import { findFile } from '../../platform/basics/private-file.ts'
import type { System } from '../../platform/basics/system.ts'
import type { Database } from '../../platform/storage/database.ts'

/** The witness of a home: what it said when the home was opened, and where it is kept from then on. */
export interface HomeWitness extends EndNotes {
  /** Looks, before anything is changed, whether the store has all that was sealed. */
  check(db: Database): Promise<void>
  /** Begins to keep it; answers what was found missing, where the owner goes on without that. */
  begin(db: Database, key: AuditKey): Promise<Loss | undefined>
  checkInPlace(): void
  close(): void
}

interface Wishes {
  home: Home
  key: AuditKey | undefined
  system: System
  log: Log
  /** Whether the owner goes on without what is missing. */
  accept_loss: boolean
  /** Whether a restore has put another database in place: then there is no witness of it yet. */
  is_restored: boolean
}

/** What lies beside the database and knows how far it has come. */
export function homeWitness(wishes: Wishes): HomeWitness {
  const { home, key, system, log, accept_loss } = wishes
  let said: Sealed | undefined
  let witness: Witness | undefined
  let loss: Loss | undefined
  return {
    async check(db) {
      // Whose key is lost or another one hears that, and gets no further. A restored database has no witness yet.
      if (!key || wishes.is_restored || !(await isSealedWith(db, key))) return
      // The file is read once, and after the store: a hub that starts beside this one makes the file before it notes it.
      const shouldBe = await findExpected(db)
      const text = findFile(home.auditWitness)
      said = readWitness(text, key)
      // Reads of one callback see the store as the first of them did; what is compared must be newer than the file.
      await nextCallback()
      loss = said ? await findLoss(db, said, home.auditWitness) : missing(shouldBe, text, home.auditWitness)
      if (loss && !accept_loss) throw behind(placeOf(db, home), loss)
    },
    async begin(db, sealing) {
      const { seq = 0, hash = '' } = (await findEnd(db)) ?? {}
      const at = system.now().toISOString()
      if (loss) keepAside(home, at)
      witness = openWitness(home.auditWitness, sealing, { seq, hash, at })
      if (said && !loss) return undefined
      if (!said && !loss && !wishes.is_restored && seq > 0)
        log.warn({ seq }, 'the audit log has a witness from here on')
      await noteWitnessed(db, seq, system.now())
      return loss
    },
    note: ({ seq, hash }, firmly) => witness?.note({ seq, hash, at: system.now().toISOString() }, firmly),
    checkInPlace: () => witness?.checkInPlace(),
    close: () => witness?.close(),
  }
}

interface Expected {
  /** Where the chain ends, where there is one. */
  seq: number | undefined
  /** Whether a witness that is not there has been taken away. */
  has_witness: boolean
}

/** Hubs that share a server have a witness each, so there the store does not know whether this hub had one. */
async function findExpected(db: Database): Promise<Expected> {
  const end = await findEnd(db)
  const has_witness = end !== undefined && db.kind !== 'postgres' && !!(await findWitnessed(db))
  return { seq: end?.seq, has_witness }
}

/** A witness that was there and is gone has been taken away, and one that nobody can read says nothing. */
function missing({ seq, has_witness }: Expected, text: string | undefined, path: string): Loss | undefined {
  const isDamaged = text !== undefined
  if (seq === undefined || !(isDamaged || has_witness)) return undefined
  const reason =
    `${path}, which tells how far the audit log has come, ${isDamaged ? 'is damaged' : 'is gone'}. ` +
    `The log ends at record ${seq}, and nobody can tell whether that is all.`
  return { after_seq: seq, last_seq: seq, reason }
}

/** What the former file said stays, for whoever looks into it. */
function keepAside({ auditWitness }: Home, at: string): void {
  if (existsSync(auditWitness))
    renameSync(auditWitness, `${auditWitness}.until-${at.replace(/[-:]|\.\d+/g, '')}`)
}

function placeOf(db: Database, home: Home): string {
  return db.kind === 'postgres' ? 'The database named by KNOWTATION_DATABASE_URL' : home.database
}
