import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import {
  changePolicy,
  policyChangeInput,
  policyChangeShape,
  preparePolicyText,
} from '../../../operations/policy/change-policy.ts'
import { policyChangeErrors } from '../../../operations/policy/policy-change-errors.ts'
import { foundIn, wakeReviewTeller } from '../../../platform/pins/pin-review.ts'
import {
  closeReview,
  findDefinition,
  findReview,
  keepDefinition,
} from '../../../platform/pins/review-store.ts'
import { openPolicyDocument } from '../../../platform/policy-edits/policy-document.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { requireShown } from './pin-review-operations.ts'
import { Digest, pinErrors, ReviewId, ReviewShape, showReview } from './pin-shapes.ts'
import { renewEntry } from './policy-entries.ts'

export const AcceptOutput = z.strictObject({
  object: z.literal('pin_accepted'),
  review: ReviewShape,
  ...policyChangeShape,
})

/**
 * Never over MCP, by a token, by the hub token or by an agent of the owner's: whoever gains by another definition must not
 * let it count.
 */
export const pinAccept = defineOwnerOperation({
  name: 'owner_pin_review_accept',
  opens: true,
  summary: 'Let the definition that was found and shown count from now on, as reviewed.',
  effect: 'update',
  authority: ownerSurface({ session_only: true }),
  rest: 'POST /v1/owner/provider-reviews/{review_id}/accept',
  cli: 'provider review accept <review_id>',
  errors: {
    ...policyChangeErrors.table,
    ...pinErrors.pick('unknown_review', 'review_decided', 'review_changed', 'nothing_to_accept'),
  },
  target: ({ review_id }) => ({ kind: 'pin_review', id: review_id }),
  input: z.strictObject({
    review_id: ReviewId,
    digest: Digest.describe('The digest of what was shown'),
    ...policyChangeInput,
  }),
  output: AcceptOutput,
  present: async () => (await import('./present-pins.ts')).presentAccepted,
  async check(context) {
    const { db, hub, now, refuse } = context
    const review = await requireShown(context)
    const [definition, pin] = [foundIn(review), review.found_pin]
    if (!definition || pin === null || review.finding !== 'changed') return refuse('nothing_to_accept')
    const formerly = await findDefinition(db, review.pin)
    const prepared = await preparePolicyText(context, (text) => {
      const document = openPolicyDocument(text)
      const at = document.findTool(review.tool_id)
      // Whoever has written another pin by hand meanwhile has decided already.
      if (!at || document.get([...at, 'pin']) !== review.pin) return refuse('review_changed')
      renewEntry(document, at, { definition, pin }, formerly)
      return document.text()
    })
    await hub.db.transaction((tx) => keepDefinition(tx, { definition, pin }, now))
    return { review, prepared }
  },
  async handle(context, { review, prepared }) {
    const { db, hub, now, caller, input, refuse } = context
    const decided = { decided_by: `${caller.kind}:${caller.id}`, reason: input.reason ?? null }
    if (!(await closeReview(db, review, { state: 'accepted', ...decided }, now)))
      return refuse('review_changed')
    wakeReviewTeller(db, hub)
    const shown = showReview((await findReview(db, review.review_id)) ?? review)
    return changePolicy(context, { operation: 'owner_pin_review_accept', prepared }, (change) => ({
      object: 'pin_accepted' as const,
      review: shown,
      ...change,
    }))
  },
})
