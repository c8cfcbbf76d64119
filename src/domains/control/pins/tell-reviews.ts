import type { Hub } from '../../../operations/hub.ts'
import { partOf } from '../../../platform/basics/part-of.ts'
import { type CallerKind, localCaller } from '../../../platform/identity/caller.ts'
import { type PinReview, REVIEW_TELLER } from '../../../platform/pins/pin-review.ts'
import { listUntoldReviews, markReviewTold, purgeReviews } from '../../../platform/pins/review-store.ts'
import { LOOK_EVERY_MS, openTeller } from '../spine/teller.ts'

type Untold = PinReview & { told: number }

function openReviewTeller(hub: Hub) {
  return openTeller(hub, { name: REVIEW_TELLER, list: listUntoldReviews, mark: markReviewTold, describe })
}

function describe(one: Untold) {
  const { review_id, vault_id, tool_id, finding, pin, found_pin, state } = one
  const at = one.told === 0 ? one.opened_at : (one.closed_at ?? one.opened_at)
  const ended = one.told === 0 ? {} : { decision: state }
  return {
    type: one.told === 0 ? ('pin.changed' as const) : ('pin.reviewed' as const),
    caller: callerOf(one),
    vault_id,
    object: { type: 'pin_review', id: review_id },
    data: { review_id, vault_id, tool_id, finding, pin, found_pin, at, ...ended },
  }
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
    run: (hub: Hub) => partOf(hub, openReviewTeller).look(),
  },
  {
    name: 'purge old reviews',
    every_ms: 3_600_000,
    run: (hub: Hub) => hub.db.transaction((tx) => purgeReviews(tx, hub.system.now())),
  },
]
