import { openSecret, sealSecret } from '../secrets/sealed-secrets.ts'
import type { SecretsPlace } from '../secrets/secrets-key.ts'
import { type Reader, sql, type Transaction } from '../storage/database.ts'

/** Older ones of a home and a vault go as newer ones come. */
const KEPT = 500

/**
 * `announced` before the file is changed; then `kept`, which is what it says now or has said, or `refused`, because
 * the file was changed by hand meanwhile. `displaced`: saved by hand in the moment in which the file was replaced.
 */
export type RevisionState = 'announced' | 'kept' | 'refused' | 'displaced'

/** By an operation, by hand, or as it was when the hub first looked. */
export type RevisionOrigin = 'operation' | 'hand' | 'found'

/** One state of a vault's policy in one home. */
export interface PolicyRevision {
  readonly revision_id: string
  /** Which home's file: several may share a database. */
  readonly place: string
  readonly vault_id: string
  readonly number: number
  /** As audit records name it; `none` where the file was removed. */
  readonly revision: string
  readonly digest: string
  /** What it was made from. */
  readonly base_revision: string | null
  readonly at: string
  readonly changed_by: string
  readonly origin: RevisionOrigin
  readonly operation: string | null
  readonly reason: string | null
  readonly state: RevisionState
  readonly bytes: number
}

interface SealedRevision extends PolicyRevision {
  readonly text_sealed: string | null
}

/** A revision that is to be kept. */
export type NewRevision = Omit<PolicyRevision, 'revision_id' | 'number' | 'bytes'> & {
  readonly text: string | undefined
}

const COLUMNS = `revision_id, place, vault_id, number, revision, digest, base_revision, at, changed_by, origin,
  operation, reason, state, bytes`
const insert = sql(
  `INSERT INTO policy_revisions (${COLUMNS}, text_sealed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
)
const readNumber = sql<{ number: number | null }>(
  'SELECT MAX(number) AS number FROM policy_revisions WHERE place = ? AND vault_id = ?',
)
const prune = sql('DELETE FROM policy_revisions WHERE place = ? AND vault_id = ? AND number <= ?')
const newest = sql<PolicyRevision>(
  `SELECT ${COLUMNS} FROM policy_revisions WHERE place = ? AND vault_id = ? AND state = 'kept'
   ORDER BY number DESC LIMIT 1`,
)
const byDigest = sql<PolicyRevision>(
  `SELECT ${COLUMNS} FROM policy_revisions WHERE place = ? AND vault_id = ? AND digest = ? ORDER BY number DESC LIMIT 1`,
)
const ofVault = sql<PolicyRevision>(
  `SELECT ${COLUMNS} FROM policy_revisions WHERE vault_id = ?
   ORDER BY CASE WHEN place = ? THEN 0 ELSE 1 END, place, number DESC LIMIT ?`,
)
const byRevision = sql<SealedRevision>(
  `SELECT ${COLUMNS}, text_sealed FROM policy_revisions WHERE vault_id = ? AND revision = ?
   ORDER BY number DESC LIMIT 1`,
)
const byNumber = sql<SealedRevision>(
  `SELECT ${COLUMNS}, text_sealed FROM policy_revisions WHERE place = ? AND vault_id = ? AND number = ?`,
)
const setState = sql('UPDATE policy_revisions SET state = ? WHERE revision_id = ?')

const placeOf = (revision_id: string) => ({ id: revision_id, field: 'text' })

/** Keeps a revision, its text sealed. */
export async function keepRevision(
  tx: Transaction,
  hub: SecretsPlace,
  { text, ...revision }: NewRevision,
): Promise<PolicyRevision> {
  const revision_id = `polrev_${hub.system.random(8)}`
  // Whoever seals waits for others who do, so that no two take one number.
  const sealed = text === undefined ? null : await sealSecret(tx, hub, placeOf(revision_id), text)
  const last = await tx.get(readNumber, revision.place, revision.vault_id)
  const number = (last?.number ?? 0) + 1
  const kept = { revision_id, ...revision, number, bytes: Buffer.byteLength(text ?? '') }
  await tx.run(insert, ...valuesOf(kept), sealed)
  await tx.run(prune, revision.place, revision.vault_id, number - KEPT)
  return kept
}

function valuesOf(one: PolicyRevision) {
  return [
    one.revision_id,
    one.place,
    one.vault_id,
    one.number,
    one.revision,
    one.digest,
    one.base_revision,
    one.at,
    one.changed_by,
    one.origin,
    one.operation,
    one.reason,
    one.state,
    one.bytes,
  ]
}

export async function setRevisionState(
  tx: Transaction,
  revision_id: string,
  state: RevisionState,
): Promise<void> {
  await tx.run(setState, state, revision_id)
}

/** What the file of this home was last known to say. */
export function findNewestRevision(db: Reader, place: string, vault_id: string) {
  return db.get(newest, place, vault_id)
}

/** The last time that the file of this home said, or was to say, just this. */
export function findRevisionOfText(db: Reader, place: string, vault_id: string, digest: string) {
  return db.get(byDigest, place, vault_id, digest)
}

/** The revisions of a vault, newest first: those of this home, then those of other homes on the database. */
export function listRevisions(
  db: Reader,
  place: string,
  vault_id: string,
  limit: number,
): Promise<PolicyRevision[]> {
  return db.all(ofVault, vault_id, place, limit)
}

/** A revision by its number in this home, or by the name that audit records have of it. */
export async function findRevision(
  db: Reader,
  place: string,
  vault_id: string,
  wanted: string,
): Promise<SealedRevision | undefined> {
  const isNumber = /^[1-9]\d{0,8}$/.test(wanted)
  return isNumber ? db.get(byNumber, place, vault_id, Number(wanted)) : db.get(byRevision, vault_id, wanted)
}

/** The text of a revision; undefined where there was no file. */
export function textOfRevision(hub: SecretsPlace, { revision_id, text_sealed }: SealedRevision) {
  return text_sealed === null ? undefined : openSecret(hub, placeOf(revision_id), text_sealed)
}
