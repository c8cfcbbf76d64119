import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import type { Context, Effect } from '../../../operations/define-operation.ts'
import { digestOf, type PinReview, wakeReviewTeller } from '../../../platform/pins/pin-review.ts'
import { closeReview, findReview, listReviews } from '../../../platform/pins/review-store.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import {
  Digest,
  pinErrors,
  ReviewId,
  ReviewInFull,
  ReviewShape,
  ReviewState,
  showReview,
  showReviewInFull,
} from './pin-shapes.ts'

const PAGE_LIMIT = 200

export const ReviewListOutput = z.strictObject({
  object: z.literal('list'),
  data: z.array(ReviewShape),
  truncated: z.boolean(),
})

const target = ({ review_id }: { review_id: string }) => ({ kind: 'pin_review', id: review_id })

const list = defineOwnerOperation({
  name: 'owner_pin_review_list',
  summary: 'List the pinned tools whose servers define them otherwise than they were reviewed, newest first.',
  effect: 'read',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'GET /v1/owner/provider-reviews',
  cli: 'provider review list',
  errors: {},
  input: z.strictObject({
    state: ReviewState.optional().describe('Only those in this state, such as open'),
    limit: z.int().min(1).max(PAGE_LIMIT).default(50).describe('At most so many'),
  }),
  output: ReviewListOutput,
  present: async () => (await import('./present-pins.ts')).presentReviews,
  async handle({ input: { state, limit }, db, vault_id }) {
    const found = await listReviews(db, vault_id, state, limit + 1)
    const data = found.slice(0, limit).map(showReview)
    return { object: 'list' as const, data, truncated: found.length > limit }
  },
})

const show = defineOwnerOperation({
  name: 'owner_pin_review_show',
  summary: 'Show what was reviewed of a tool, what its server says now, and where the two differ.',
  effect: 'read',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'GET /v1/owner/provider-reviews/{review_id}',
  cli: 'provider review show <review_id>',
  errors: pinErrors.pick('unknown_review'),
  target,
  input: z.strictObject({ review_id: ReviewId }),
  output: ReviewInFull,
  present: async () => (await import('./present-pins.ts')).presentReview,
  handle: async (context) => showReviewInFull(context.db, await reviewOfVault(context)),
})

const keep = defineOwnerOperation({
  name: 'owner_pin_review_keep',
  opens: true,
  summary: 'Let what was reviewed go on counting: the tool works again as soon as its server lists it so.',
  effect: 'update',
  authority: ownerSurface({ session_only: true }),
  rest: 'POST /v1/owner/provider-reviews/{review_id}/keep',
  cli: 'provider review keep <review_id>',
  errors: pinErrors.pick('unknown_review', 'review_decided', 'review_changed'),
  target,
  input: z.strictObject({
    review_id: ReviewId,
    digest: Digest.optional().describe('The digest of what you have seen, where it has to be just that'),
    reason: z.string().trim().min(1).max(500).optional().describe('Why, for your own record'),
  }),
  output: ReviewShape,
  present: async () => (await import('./present-pins.ts')).presentKept,
  async handle(context) {
    const { db, hub, now, caller, input, refuse } = context
    const review = await requireShown(context)
    const decided_by = `${caller.kind}:${caller.id}`
    if (!(await closeReview(db, review, { state: 'kept', decided_by, reason: input.reason ?? null }, now)))
      return refuse('review_decided')
    wakeReviewTeller(db, hub)
    return showReview((await findReview(db, review.review_id)) ?? review)
  },
})

type Asking<Code extends string> = Pick<
  Context<{ review_id: string; digest?: string | undefined }, Code, Effect>,
  'input' | 'db' | 'vault_id' | 'refuse'
>

/** The review of this vault; of another one's nothing is told. */
async function reviewOfVault({ input, db, vault_id, refuse }: Asking<'unknown_review'>): Promise<PinReview> {
  const review = await findReview(db, input.review_id)
  return review?.vault_id === vault_id ? review : refuse('unknown_review')
}

/** The same, open and as it was shown. */
export async function requireShown(
  context: Asking<'unknown_review' | 'review_decided' | 'review_changed'>,
): Promise<PinReview> {
  const { input, refuse } = context
  const review = await reviewOfVault(context)
  if (review.state !== 'open') return refuse('review_decided')
  if (input.digest !== undefined && input.digest !== digestOf(review)) return refuse('review_changed')
  return review
}

export const pinReviewOperations = [list, show, keep]
