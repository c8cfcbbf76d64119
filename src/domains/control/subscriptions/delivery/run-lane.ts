import { setTimeout as sleep } from 'node:timers/promises'
import type { Hub } from '../../../../operations/hub.ts'
import type { Task } from '../../../../platform/work/work-kind.ts'
import { listEvents } from '../subscription-event-store.ts'
import { openSecrets } from '../subscription-secrets.ts'
import { isEcho, readVerification } from '../verification.ts'
import { signedHeaders } from '../webhook-signature.ts'
import { endRevoked, endRound, type Failure, restLocked } from './end-round.ts'
import {
  activateSubscription,
  advanceLane,
  type LaneClaim,
  type LaneState,
  laneWork,
  readLane,
} from './lane-store.ts'
import { type Posted, type Poster, RESPONSE_MS } from './post-event.ts'

/** As long as one event may take. */
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
  readonly task: Task<LaneClaim>
  readonly poster: Poster
  /** How often in a row there was nothing to send. */
  rests: number
}

/** Delivers until there is nothing to deliver, an attempt fails, or the lane is no longer this hub's. */
export async function runLane(lane: Lane): Promise<void> {
  const { hub, task } = lane
  for (;;) {
    const state = await readLane(hub.db, task.claim)
    if (!state) return
    const isWanted = state.status === 'active' || state.status === 'pending_verification'
    if (task.signal.aborted || !isWanted) return release(lane)
    if ((await endRevoked(lane, state)) || (await restLocked(lane, state))) return
    // What is left of a lease must be enough for one event, so that two hubs never send at once.
    if (task.left_ms() < LEASE_NEEDED_MS && !(await task.renew())) continue
    const goesOn = await (state.status === 'active' ? deliver(lane, state) : verify(lane, state))
    if (!goesOn) return
  }
}

const release = ({ hub, task }: Lane) => hub.db.transaction((tx) => laneWork.release(tx, task.claim))

/** Keeps how far it came. False: the lane is no longer ours. */
function advance({ hub, task }: Lane, delivered_seq: number): Promise<boolean> {
  const now = hub.system.now().toISOString()
  return hub.db.transaction((tx) => advanceLane(tx, task.claim, delivered_seq, now))
}

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
    if (lane.task.left_ms() < LEASE_NEEDED_MS || lane.task.signal.aborted) break
    const posted = await post(lane, state, secrets, event_id, event_json)
    failure = failureOf(posted)
    if (failure || posted.kind !== 'accepted') break
    done = seq
    if (performance.now() > round_ends) break
  }
  const isHeld = done === state.delivered_seq || (await advance(lane, done))
  if (!isHeld || !failure) return isHeld
  // What was delivered before it in this round has ended the failures before it.
  const attempts = done > state.delivered_seq ? 0 : state.attempts
  return endRound(lane, { ...state, attempts }, failure)
}

/** Lets go of a lane that has nothing to send. Events that were dropped unsent are passed over. */
async function finish(lane: Lane, state: LaneState): Promise<boolean> {
  if (state.last_seq > state.delivered_seq) return advance(lane, state.last_seq)
  if (lane.rests++ < REST_LIMIT) return sleep(REST_MS, true)
  await release(lane)
  return false
}

/** Asks the receiver whether it wants to be one. */
async function verify(lane: Lane, state: LaneState): Promise<boolean> {
  const { hub, task } = lane
  const text = state.verification_json ?? ''
  const { id, challenge } = readVerification(text)
  const posted = await post(lane, state, openSecrets(hub, state), id, text)
  if (posted.kind === 'cancelled') return true
  if (posted.kind !== 'accepted' || !isEcho(posted.answer, challenge))
    return endRound(lane, state, failureOf(posted) ?? { code: 'challenge_not_returned' })
  const now = hub.system.now().toISOString()
  return hub.db.transaction(async (tx) => {
    await activateSubscription(tx, state.subscription_id, text, now)
    return advanceLane(tx, task.claim, state.delivered_seq, now)
  })
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
