import { hash } from 'node:crypto'
import type { System } from '../basics/system.ts'
import { openSecret, sealSecret } from '../secrets/sealed-secrets.ts'
import type { SecretsPlace } from '../secrets/secrets-key.ts'
import { type Reader, sql, type Transaction } from '../storage/database.ts'

/** A confirmation that is not given, or not used, within this counts no more. */
const TTL_MS = 5 * 60_000

/** Something that the command line would open. `confirmed` counts once. */
export interface PresenceRequest {
  readonly presence_id: string
  readonly digest: string
  readonly operation: string
  readonly vault_id: string
  readonly input_sealed: string
  readonly created_at: string
  readonly expires_at: string
  readonly state: 'waiting' | 'confirmed' | 'refused' | 'used'
}

/** What exactly is to be opened. */
export interface Opening {
  readonly operation: string
  readonly vault_id: string
  readonly input: unknown
}

const COLUMNS = 'presence_id, digest, operation, vault_id, input_sealed, created_at, expires_at, state'
const insert = sql(`INSERT INTO owner_presence (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, 'waiting')`)
const byId = sql<PresenceRequest>(`SELECT ${COLUMNS} FROM owner_presence WHERE presence_id = ?`)
const decide = sql(
  `UPDATE owner_presence SET state = ? WHERE presence_id = ? AND digest = ? AND state = 'waiting' AND expires_at > ?`,
)
const use = sql(
  `UPDATE owner_presence SET state = 'used'
   WHERE presence_id = ? AND digest = ? AND state = 'confirmed' AND expires_at > ?`,
)
const purge = sql('DELETE FROM owner_presence WHERE expires_at < ?')
const proofs = sql<{ n: number }>(
  `SELECT (SELECT COUNT(*) FROM owner_account) + (SELECT COUNT(*) FROM owner_passkeys) AS n`,
)

/** Whether the owner has anything to prove to be the owner with. */
export async function canProve(db: Reader): Promise<boolean> {
  return Number((await db.get(proofs))?.n ?? 0) > 0
}

/** One value over what is to be opened: a confirmation counts for nothing else. */
function digestOpening({ operation, vault_id, input }: Opening): string {
  return `sha256:${hash('sha256', JSON.stringify([operation, vault_id, input]))}`
}

/** Asks the owner to confirm an opening in the browser. */
export async function askPresence(
  tx: Transaction,
  hub: SecretsPlace & { readonly system: System },
  opening: Opening,
): Promise<PresenceRequest> {
  const presence_id = `opres_${hub.system.random(8)}`
  const now = hub.system.now()
  const input_sealed = await sealSecret(tx, hub, placeOf(presence_id), JSON.stringify(opening.input))
  const expires_at = new Date(now.getTime() + TTL_MS).toISOString()
  const { operation, vault_id } = opening
  const about = { digest: digestOpening(opening), operation, vault_id, input_sealed }
  const one = { presence_id, ...about, created_at: now.toISOString(), expires_at, state: 'waiting' as const }
  const { digest, created_at } = one
  await tx.run(insert, presence_id, digest, operation, vault_id, input_sealed, created_at, expires_at)
  return one
}

export function findPresence(db: Reader, presence_id: string): Promise<PresenceRequest | undefined> {
  return db.get(byId, presence_id)
}

/** What would be opened, as it was typed. */
export function openedInput(hub: SecretsPlace, { presence_id, input_sealed }: PresenceRequest): unknown {
  return JSON.parse(openSecret(hub, placeOf(presence_id), input_sealed))
}

/** The owner's word on what was shown; answers whether it came in time. */
export async function decidePresence(
  tx: Transaction,
  { presence_id, digest, confirmed }: { presence_id: string; digest: string; confirmed: boolean },
  now: Date,
): Promise<boolean> {
  const state = confirmed ? 'confirmed' : 'refused'
  return (await tx.run(decide, state, presence_id, digest, now.toISOString())) === 1
}

/** Uses a confirmation up, for just what was confirmed. */
export async function usePresence(
  tx: Transaction,
  presence_id: string,
  opening: Opening,
  now: Date,
): Promise<boolean> {
  return (await tx.run(use, presence_id, digestOpening(opening), now.toISOString())) === 1
}

export async function purgePresence(tx: Transaction, before: Date): Promise<void> {
  await tx.run(purge, before.toISOString())
}

const placeOf = (presence_id: string) => ({ id: presence_id, field: 'input' })
