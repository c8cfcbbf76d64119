import { type Database, sql, type Transaction } from '../storage/database.ts'
import { placeOf } from './rate-limits.ts'

/**
 * Tries per place and minute at what could be guessed, the good ones included: guesses made at the same time count one
 * by one. Who knows the name of the owner's pages has tries of their own, which nobody else can use up.
 */
const ATTEMPTS_PER_MINUTE = {
  sign_in: 10,
  sign_in_elsewhere: 10,
  user_code: 10,
  device_request: 20,
  device_token: 20,
  client_registration: 20,
  authorization_request: 60,
  mcp_token: 60,
  // Whoever comes under the public name has another place than the owner's, as a rule, and fewer tries.
  public_sign_in: 5,
  public_user_code: 5,
  public_device_request: 5,
  public_device_token: 5,
  public_client_registration: 5,
  public_authorization_request: 20,
  public_mcp_token: 30,
} as const
export type Attempt = keyof typeof ATTEMPTS_PER_MINUTE

const WINDOW_MS = 60_000

// A window of a time to come is of a clock that was wrong, and begins anew. Tries that come at once, at several hubs
// perhaps, are counted in another order than they came in: what is less than a window ahead is no wrong clock's.
const IS_OPEN = 'identity_attempts.opened_at > ? AND identity_attempts.opened_at <= ?'
const count = sql(
  `INSERT INTO identity_attempts (what, place, opened_at, count) VALUES (?, ?, ?, 1)
   ON CONFLICT (what, place) DO UPDATE SET
     count = CASE WHEN ${IS_OPEN} THEN identity_attempts.count + 1 ELSE 1 END,
     opened_at = CASE WHEN ${IS_OPEN} THEN identity_attempts.opened_at ELSE excluded.opened_at END`,
)
const read = sql<{ opened_at: string; count: number }>(
  'SELECT opened_at, count FROM identity_attempts WHERE what = ? AND place = ?',
)
const purge = sql('DELETE FROM identity_attempts WHERE opened_at < ?')

/** Where the tries of a minute stand after one more. */
export interface Tries {
  /** How many there were beyond those that there may be. */
  readonly over: number
  readonly wait_seconds: number
}

/** Counts a try, in the store: every hub of this home counts the same. */
export async function countAttempt(db: Database, what: Attempt, address: string, now: Date): Promise<Tries> {
  const at = now.toISOString()
  const since = new Date(now.getTime() - WINDOW_MS).toISOString()
  const until = new Date(now.getTime() + WINDOW_MS).toISOString()
  const place = placeOf(address)
  const found = await db.transaction(async (tx) => {
    await tx.run(count, what, place, at, since, until, since, until)
    return tx.get(read, what, place)
  })
  const over = Math.max(0, Number(found?.count ?? 1) - ATTEMPTS_PER_MINUTE[what])
  const ends = Date.parse(found?.opened_at ?? at) + WINDOW_MS
  return { over, wait_seconds: Math.max(1, Math.ceil((ends - now.getTime()) / 1_000)) }
}

/** Forgets what was counted before the moment. */
export async function purgeAttempts(tx: Transaction, before: Date): Promise<void> {
  await tx.run(purge, before.toISOString())
}
