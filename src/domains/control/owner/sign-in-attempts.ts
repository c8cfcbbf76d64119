import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '../../../operations/errors.ts'
import type { Hub } from '../../../operations/hub.ts'
import { openSemaphore } from '../../../platform/basics/semaphore.ts'
import { type Attempt, countAttempt } from '../../../platform/identity/attempts.ts'
import { isPublicOrigin } from '../../../platform/policy/hub-config.ts'

interface Trying {
  readonly hub: Hub
  readonly address: string
  /** The address under which the caller knows the hub. */
  readonly origin: string | undefined
}

export type Tried = Exclude<Attempt, `public_${string}` | 'sign_in_elsewhere'>

/** Counts a try before anything is compared, and refuses it where there were too many. */
export async function checkAttempt({ hub, address, origin }: Trying, what: Tried): Promise<void> {
  const counted = isPublicOrigin(hub.config, origin) ? (`public_${what}` as const) : what
  const { over, wait_seconds } = await countAttempt(hub.db, counted, address, hub.system.now())
  if (over > 0) throw new Refusal('RATE_LIMITED', undefined, wait_seconds)
}

const PAUSE_MAX_SECONDS = 10
/** Passwords that wait beyond what may be tried in a minute. */
const WAITING_LIMIT = 10
const openLane = () =>
  openSemaphore(1, {
    limit: WAITING_LIMIT,
    full: () => new Refusal('RATE_LIMITED', undefined, PAUSE_MAX_SECONDS),
  })
/** Strangers who fill the line at `localhost` keep nobody out at the owner's own name, which they do not know. */
const slowLanes = { sign_in: openLane(), sign_in_elsewhere: openLane() }

/**
 * Counts a try at the password. Beyond so many a minute each waits, one after the other and longer each time, so that
 * guessing stays slow and the right one still opens. At the owner's own name none is refused for what others have tried.
 * Under the public name, where anybody may come, an address that has used its tries up is sent away at once.
 */
export async function slowDownGuesses(trying: Trying): Promise<void> {
  const { hub, address, origin = '' } = trying
  if (isPublicOrigin(hub.config, origin)) return checkAttempt(trying, 'sign_in')
  const isAtHome = new URL(origin).hostname === hub.ownerName
  const what = isAtHome ? 'sign_in' : 'sign_in_elsewhere'
  const { over } = await countAttempt(hub.db, what, address, hub.system.now())
  if (over === 0) return
  await slowLanes[what].run(() => pause(Math.min(over, PAUSE_MAX_SECONDS) * 1_000))
}
