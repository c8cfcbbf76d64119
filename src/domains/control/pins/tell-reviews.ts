import type { Hub } from '../../../operations/hub.ts'
import { reportFault } from '../../../operations/report-fault.ts'
import { partOf } from '../../../platform/basics/part-of.ts'
import { type CallerKind, localCaller } from '../../../platform/identity/caller.ts'
import { type PinReview, REVIEW_TELLER } from '../../../platform/pins/pin-review.ts'
import { listUntoldReviews, markReviewTold, purgeReviews } from '../../../platform/pins/review-store.ts'
import { appendEvent } from '../spine/spine-store.ts'
import type { EventType } from '../subscriptions/event-types.ts'
import { publishEvent } from '../subscriptions/publish.ts'

const AT_ONCE = 50
const LOOK_EVERY_MS = 2_000

type Untold = PinReview & { told: number }

/** Tells of reviews, in a hub that serves: soon after they opened or ended, and at the latest when it looks. */
function openTeller(hub: Hub) {
  let looking: Promise<void> | undefined
  const look = () => (looking ??= tellAll(hub).finally(() => (looking = undefined)))
  const wake = () =>
    void (looking ?? Promise.resolve())
      .then(look)
      .catch((error: unknown) => reportFault(hub.log, REVIEW_TELLER, error))
  hub.workers.set(REVIEW_TELLER, { wake })
  hub.closing.push(async () => void (await looking?.catch(() => {})))
  return { look }
}

async function tellAll(hub: Hub): Promise<void> {
  for (;;) {
    const untold = await listUntoldReviews(hub.db, AT_ONCE)
    for (const one of untold) if (!hub.stopping.signal.aborted) await tell(hub, one)
    if (untold.length < AT_ONCE || hub.stopping.signal.aborted) return
  }
}

/** To subscribers and to the owner's record, both or neither; of two hubs that look at once one does it. */
async function tell(hub: Hub, one: Untold): Promise<void> {
  const { review_id, vault_id, tool_id, finding, pin, found_pin, state } = one
  const type: EventType = one.told === 0 ? 'pin.changed' : 'pin.reviewed'
  const at = one.told === 0 ? one.opened_at : (one.closed_at ?? one.opened_at)
  const ended = one.told === 0 ? {} : { decision: state }
  const data = { review_id, vault_id, tool_id, finding, pin, found_pin, at, ...ended }
  const request_id = `req_${hub.system.random(8)}`
  const call = {
    caller: callerOf(one),
    vault_id,
    surface: 'rest' as const,
    now: hub.system.now(),
    request_id,
  }
  const object = { type: 'pin_review', id: review_id }
  await hub.db.transaction(async (tx) => {
    if (!(await markReviewTold(tx, one))) return
    await publishEvent(tx, hub, { type, subject: review_id, data })
    const event = { event: type, operation: type, object, selector: undefined, error: undefined }
    await appendEvent(tx, hub, call, { ...event, data })
  })
}

function callerOf({ told, decided_by }: Untold) {
  const [kind, id] = told === 0 || decided_by === null ? [] : decided_by.split(':')
  return kind && id
    ? { ...localCaller('knowtation'), kind: kind as CallerKind, id }
    : localCaller('knowtation')
}

export const pinChores = [
  {
    name: 'tell of tools that have changed',
    every_ms: LOOK_EVERY_MS,
    run: (hub: Hub) => partOf(hub, openTeller).look(),
  },
  {
    name: 'purge old reviews',
    every_ms: 3_600_000,
    run: (hub: Hub) => hub.db.transaction((tx) => purgeReviews(tx, hub.system.now())),
  },
]
