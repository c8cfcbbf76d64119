import { hash } from 'node:crypto'
import { hostname } from 'node:os'
import type { Home } from '../basics/home.ts'
import type { SecretsPlace } from '../secrets/secrets-key.ts'
import type { Database, Transaction } from '../storage/database.ts'
import { digestOf, NO_DIGEST, type PolicyFile, readPolicyFile, readSettledPolicy } from './policy-file.ts'
import { replacedPath } from './put-in-place.ts'
import { revisionOfFile } from './revision-name.ts'
import {
  findNewestRevision,
  findRevisionOfText,
  keepRevision,
  type NewRevision,
  setRevisionState,
} from './revision-store.ts'

export interface PolicyPlace extends SecretsPlace {
  readonly home: Home
  readonly db: Database
}

/** Which home a file is of. In the home's own database there is no other. */
export function placeOf({ home, db }: Pick<PolicyPlace, 'home' | 'db'>): string {
  if (db.kind === 'sqlite') return 'home'
  return hash('sha256', `${hostname()}:${home.folder}`).slice(0, 24)
}

/** Puts on record what the file says now, where it was changed by hand since it was last looked at. */
export async function noticeEdits(hub: PolicyPlace, vault_id: string): Promise<PolicyFile> {
  const path = hub.home.vaultPolicy(vault_id)
  const file = await readSettledPolicy(path)
  const place = placeOf(hub)
  const latest = await findNewestRevision(hub.db, place, vault_id)
  const late = findLateText(path)
  const isSeen = late === undefined || (await isKnown(hub.db, place, vault_id, late))
  if (isSeen && (latest?.digest ?? NO_DIGEST) === file.digest) return file
  await hub.db.transaction(async (tx) => {
    if (late !== undefined) await keepLate(tx, hub, vault_id, late)
    await keepNoticed(tx, hub, vault_id, file)
  })
  return file
}

/** What was written into the file that was replaced last, by an editor that had it open. */
function findLateText(path: string): string | undefined {
  try {
    return readPolicyFile(replacedPath(path)).text
  } catch {
    return undefined
  }
}

async function isKnown(db: Pick<Transaction, 'get' | 'all'>, place: string, vault_id: string, text: string) {
  return (await findRevisionOfText(db, place, vault_id, digestOf(text))) !== undefined
}

async function keepLate(tx: Transaction, hub: PolicyPlace, vault_id: string, text: string): Promise<void> {
  if (await isKnown(tx, placeOf(hub), vault_id, text)) return
  await keepDisplaced(tx, hub, vault_id, text)
}

/** Keeps a text that was saved by hand and did not come to count. */
export async function keepDisplaced(
  tx: Transaction,
  hub: PolicyPlace,
  vault_id: string,
  text: string,
): Promise<void> {
  const names = { text, digest: digestOf(text), revision: revisionOfFile({ text, is_binary: false }) }
  await keepRevision(tx, hub, { ...byHand(hub, vault_id), ...names, state: 'displaced' })
}

async function keepNoticed(
  tx: Transaction,
  hub: PolicyPlace,
  vault_id: string,
  file: PolicyFile,
): Promise<void> {
  const { text, digest, stats } = file
  const place = placeOf(hub)
  const latest = await findNewestRevision(tx, place, vault_id)
  if ((latest?.digest ?? NO_DIGEST) === digest) return
  const announced = await findRevisionOfText(tx, place, vault_id, digest)
  // A hub put it there and was killed before it could say so.
  const isNext = announced?.state === 'announced' && announced.number > (latest?.number ?? 0)
  if (isNext) return setRevisionState(tx, announced.revision_id, 'kept')
  const origin = latest ? 'hand' : 'found'
  const changed_by = stats ? `uid:${stats.uid}` : 'unknown'
  const base_revision = latest?.revision ?? null
  const names = { text, digest, revision: revisionOfFile(file) }
  const noticed = { ...byHand(hub, vault_id), ...names, origin, changed_by, base_revision } as const
  await keepRevision(tx, hub, noticed)
}

function byHand(hub: PolicyPlace, vault_id: string): Omit<NewRevision, 'text' | 'digest' | 'revision'> {
  return {
    place: placeOf(hub),
    vault_id,
    base_revision: null,
    at: hub.system.now().toISOString(),
    changed_by: 'unknown',
    origin: 'hand',
    operation: null,
    reason: null,
    state: 'kept',
  }
}
