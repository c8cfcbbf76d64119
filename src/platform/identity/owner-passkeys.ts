import { hashSecret } from '../basics/secret-hash.ts'
import type { System } from '../basics/system.ts'
import { type Reader, sql, type Transaction } from '../storage/database.ts'

/** A passkey of the owner's: its public half and how it is recognised. */
export interface OwnerPasskey {
  passkey_id: string
  /** The authenticator's own id for it, base64url. */
  credential_id: string
  /** COSE key, base64url. */
  public_key: string
  counter: number
  transports: string
  label: string
  created_at: string
  last_used_at: string | null
  /** The page on which it was made, and the only one on which it counts; one without was made under another name. */
  origin: string | null
}

/** What a challenge was given out for; it serves for nothing else. */
export type ChallengePurpose = 'sign_in' | 'register'

export const CHALLENGE_TTL_SECONDS = 300
/** Challenges that may be open at once for one purpose, and passkeys there may be. */
const CHALLENGE_LIMIT = 1_000
export const PASSKEY_LIMIT = 20

const COLUMNS =
  'passkey_id, credential_id, public_key, counter, transports, label, created_at, last_used_at, origin'
const insert = sql(`INSERT INTO owner_passkeys (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
const all = sql<OwnerPasskey>(`SELECT ${COLUMNS} FROM owner_passkeys ORDER BY created_at, passkey_id LIMIT ?`)
const byCredential = sql<OwnerPasskey>(`SELECT ${COLUMNS} FROM owner_passkeys WHERE credential_id = ?`)
const remove = sql('DELETE FROM owner_passkeys WHERE passkey_id = ?')
const removeAll = sql('DELETE FROM owner_passkeys')
const noteUse = sql(
  'UPDATE owner_passkeys SET counter = ?, last_used_at = ? WHERE credential_id = ? AND counter = ?',
)
const openChallenge = sql(
  'INSERT INTO owner_challenges (challenge_hash, purpose, expires_at) VALUES (?, ?, ?)',
)
const challengeCount = sql<{ count: number }>(
  'SELECT COUNT(*) AS count FROM owner_challenges WHERE purpose = ?',
)
const useChallenge = sql(
  'DELETE FROM owner_challenges WHERE challenge_hash = ? AND purpose = ? AND expires_at > ?',
)
const purgeChallenges = sql('DELETE FROM owner_challenges WHERE expires_at <= ?')

/** Gives out a challenge, base64url. Answers undefined when too many are open. */
export async function createChallenge(
  tx: Transaction,
  system: System,
  purpose: ChallengePurpose,
): Promise<string | undefined> {
  const now = system.now()
  await tx.run(purgeChallenges, now.toISOString())
  const open = await tx.get(challengeCount, purpose)
  if (Number(open?.count ?? 0) >= CHALLENGE_LIMIT) return undefined
  const challenge = Buffer.from(system.random(32), 'hex').toString('base64url')
  const expires_at = new Date(now.getTime() + CHALLENGE_TTL_SECONDS * 1_000).toISOString()
  await tx.run(openChallenge, hashSecret(challenge), purpose, expires_at)
  return challenge
}

/** Uses a challenge up; answers whether it was one of ours that still could be. */
export async function useOpenChallenge(
  tx: Transaction,
  challenge: string,
  purpose: ChallengePurpose,
  now: Date,
): Promise<boolean> {
  return (await tx.run(useChallenge, hashSecret(challenge), purpose, now.toISOString())) === 1
}

/** The owner's passkeys, oldest first. */
export function listPasskeys(db: Reader): Promise<OwnerPasskey[]> {
  return db.all(all, PASSKEY_LIMIT)
}

/** The passkey that an authenticator names. */
export function findPasskey(db: Reader, credential_id: string): Promise<OwnerPasskey | undefined> {
  return db.get(byCredential, credential_id)
}

/** Keeps a new passkey. */
export async function createPasskey(
  tx: Transaction,
  system: System,
  wanted: Pick<OwnerPasskey, 'credential_id' | 'public_key' | 'counter' | 'transports' | 'label' | 'origin'>,
): Promise<OwnerPasskey> {
  const passkey: OwnerPasskey = {
    passkey_id: `opkey_${system.random(8)}`,
    credential_id: wanted.credential_id,
    public_key: wanted.public_key,
    counter: wanted.counter,
    transports: wanted.transports,
    label: wanted.label,
    created_at: system.now().toISOString(),
    last_used_at: null,
    origin: wanted.origin,
  }
  await tx.run(insert, ...Object.values(passkey))
  return passkey
}

/** Writes a passkey's new counter down; answers whether nobody else had done so in between. */
export async function notePasskeyUse(
  tx: Transaction,
  { credential_id, counter }: Pick<OwnerPasskey, 'credential_id' | 'counter'>,
  new_counter: number,
  now: Date,
): Promise<boolean> {
  return (await tx.run(noteUse, new_counter, now.toISOString(), credential_id, counter)) === 1
}

/** Takes a passkey away; answers whether there was one. */
export async function removePasskey(tx: Transaction, passkey_id: string): Promise<boolean> {
  return (await tx.run(remove, passkey_id)) === 1
}

/** Takes every passkey away; answers how many there were. */
export function removeAllPasskeys(tx: Transaction): Promise<number> {
  return tx.run(removeAll)
}
