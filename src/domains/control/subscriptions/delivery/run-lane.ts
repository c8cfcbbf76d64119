import { setTimeout as sleep } from 'node:timers/promises'
import type { Hub } from '../../../../operations/hub.ts'
import type { Transaction } from '../../../../platform/storage/database.ts'
import { listEvents } from '../event-store.ts'
import { openSecrets } from '../subscription-secrets.ts'
import { isEcho, readVerification } from '../verification.ts'
import { signedHeaders } from '../webhook-signature.ts'
import { endRevoked, endRound, type Failure, restLocked } from './end-round.ts'
import {
  activateSubscription,
  advanceLane,
  type LaneClaim,
  type LaneState,
  readLane,
  releaseLane,
  renewLane,
} from './lane-store.ts'
import { type Posted, type Poster, RESPONSE_MS } from './post-event.ts'

/** How long a hub may be silent before another takes a subscription over. */
export const LEASE_MS = 15_000
/** What is left of a lease must be enough for one event, so that two hubs never send at once. */
const LEASE_NEEDED_MS = RESPONSE_MS + 1_000
/** Events read at once. */
const BATCH = 200
/** A lane with nothing to send waits so long and so often for more before it lets go. */
const REST_MS = 20
const REST_LIMIT = 4
/** How far it is delivered is written, and how it stands is read again, about so often. */
const ROUND_MS = 250

/** One subscription, delivered by this hub and in order, one event at a time. */
export interface Lane {
  readonly hub: Hub
  readonly claim: LaneClaim
  readonly poster: Poster
  readonly signal: AbortSignal
  /** The moment of this process's own clock until which the lease holds. */
  held_until: number
  /** How often in a row there was nothing to send. */
  rests: number
}

/** Delivers until there is nothing to deliver, an attempt fails, or the lane is no longer this hub's. */
export async function runLane(lane: Lane): Promise<void> {
  for (;;) {
    const state = await readLane(lane.hub.db, lane.claim)
    if (!state) return
    const isWanted = state.status === 'active' || state.status === 'pending_verification'
    if (lane.signal.aborted || !isWanted) return change(lane, (tx) => releaseLane(tx, lane.claim))
    if ((await endRevoked(lane, state)) || (await restLocked(lane, state))) return
    const goesOn = await (state.status === 'active' ? deliver(lane, state) : verify(lane, state))
    if (!goesOn) return
  }
}

const change = <Result>({ hub }: Lane, act: (tx: Transaction) => Promise<Result>) => hub.db.transaction(act)

/** Holds the lane for longer while `act` writes; false when it is no longer ours. */
async function holding(
  lane: Lane,
  act: (tx: Transaction, now: string, lease_until: string) => Promise<boolean>,
): Promise<boolean> {
  const held_until = performance.now() + LEASE_MS
  const now = lane.hub.system.now()
  const lease_until = new Date(now.getTime() + LEASE_MS).toISOString()
  const isHeld = await change(lane, (tx) => act(tx, now.toISOString(), lease_until))
  if (isHeld) lane.held_until = held_until
  return isHeld
}

const hasTime = ({ held_until }: Lane) => held_until - performance.now() > LEASE_NEEDED_MS

/** Sends what comes next, in order, and keeps how far it came. */
async function deliver(lane: Lane, state: LaneState): Promise<boolean> {
  const kept = await listEvents(lane.hub.db, state.subscription_id, state.delivered_seq, BATCH)
  // What came after the look at it may have come after its end, or after its move to another address.
  const events = kept.filter(({ seq }) => seq <= state.last_seq)
  if (events.length === 0) return finish(lane, state)
  lane.rests = 0
  const secrets = openSecrets(lane.hub, state)
  const round_ends = performance.now() + ROUND_MS
  let done = state.delivered_seq
  let failure: Failure | undefined
  for (const { seq, event_id, event_json } of events) {
    if (!hasTime(lane) || lane.signal.aborted) break
    const posted = await post(lane, state, secrets, event_id, event_json)
    failure = failureOf(posted)
    if (failure || posted.kind !== 'accepted') break
    done = seq
    if (performance.now() > round_ends) break
  }
  const isHeld = await holding(lane, (tx, now, until) =>
    done > state.delivered_seq
      ? advanceLane(tx, lane.claim, done, now, until)
      : renewLane(tx, lane.claim, until),
  )
  if (!isHeld || !failure) return isHeld
  // What was delivered before it in this round has ended the failures before it.
  const attempts = done > state.delivered_seq ? 0 : state.attempts
  return endRound(lane, { ...state, attempts }, failure)
}

/** Lets go of a lane that has nothing to send. Events that were dropped unsent are passed over. */
async function finish(lane: Lane, state: LaneState): Promise<boolean> {
  if (state.last_seq > state.delivered_seq)
    return holding(lane, (tx, now, until) => advanceLane(tx, lane.claim, state.last_seq, now, until))
  if (lane.rests++ < REST_LIMIT && hasTime(lane)) return sleep(REST_MS, true)
  await change(lane, (tx) => releaseLane(tx, lane.claim))
  return false
}

/** Asks the receiver whether it wants to be one. */
async function verify(lane: Lane, state: LaneState): Promise<boolean> {
  if (!hasTime(lane)) return holding(lane, (tx, _now, until) => renewLane(tx, lane.claim, until))
  const text = state.verification_json ?? ''
  const { id, challenge } = readVerification(text)
  const posted = await post(lane, state, openSecrets(lane.hub, state), id, text)
  if (posted.kind === 'cancelled') return true
  if (posted.kind === 'accepted' && isEcho(posted.answer, challenge))
    return holding(lane, async (tx, now, until) => {
      await activateSubscription(tx, state.subscription_id, text, now)
      return advanceLane(tx, lane.claim, state.delivered_seq, now, until)
    })
  return endRound(lane, state, failureOf(posted) ?? { code: 'challenge_not_returned' })
}

function post(lane: Lane, state: LaneState, secrets: readonly string[], id: string, body: string) {
  const headers = signedHeaders(secrets, id, body, lane.hub.system.now())
  return lane.poster.post(state.callback_url, headers, body)
}

function failureOf(posted: Posted): Failure | undefined {
  if (posted.kind === 'failed') return { code: posted.failure }
  if (posted.kind !== 'refused') return undefined
  const { status, retry_after_seconds } = posted
  return { code: `http_${status}`, is_final: status === 410, retry_after_seconds }
}
