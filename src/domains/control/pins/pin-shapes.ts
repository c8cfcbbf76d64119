import { z } from 'zod'
import { errorTable } from '../../../operations/errors.ts'
import {
  digestOf,
  FINDINGS,
  foundIn,
  type PinReview,
  REVIEW_STATES,
} from '../../../platform/pins/pin-review.ts'
import { findDefinition } from '../../../platform/pins/review-store.ts'
import { findMarks } from '../../../platform/pins/text-marks.ts'
import { partsThatDiffer } from '../../../platform/pins/tool-definition.ts'
import type { Reader } from '../../../platform/storage/database.ts'

export const pinErrors = errorTable({
  unknown_provider: {
    status: 404,
    message: 'There is no such MCP server under providers in the policy of this vault.',
    hint: 'It has to stand under external_agent.providers with `kind: mcp`.',
  },
  provider_failed: {
    status: 502,
    message: 'The server did not list its tools.',
    hint: 'The log of the hub tells more; the server stands under providers in the policy of the vault.',
  },
  provider_listing_refused: {
    status: 422,
    message: 'The server lists more than the hub looks at. Nothing was imported.',
    hint: 'List the tools that you want in the policy by hand.',
  },
  provider_changed: {
    status: 409,
    message: 'The server lists something else than what was shown. Nothing was taken.',
    hint: 'Look at it again with `knowtation provider import NAME`. A server that lists something else each time cannot be imported.',
  },
  tool_not_takable: {
    status: 409,
    message: 'This cannot be taken. Nothing was taken.',
    hint: '`knowtation provider import NAME` tells why.',
  },
  nothing_to_accept: {
    status: 409,
    message: 'There is no one definition here that could count.',
    hint: '`knowtation provider review keep ID` lets the reviewed one go on counting, `policy tool remove` takes the tool away.',
  },
  unknown_review: {
    status: 404,
    message: 'There is no such review in this vault.',
    hint: '`knowtation provider review list` shows them.',
  },
  review_decided: {
    status: 409,
    message: 'It was decided before.',
    hint: '`knowtation provider review show ID` tells how it ended.',
  },
  review_changed: {
    status: 409,
    message: 'What the server lists is not what was shown.',
    hint: 'Look at it again with `knowtation provider review show ID`.',
  },
})

/** States of a proposal in which it can be taken. */
export const TAKABLE: ReadonlySet<string> = new Set(['new', 'changed', 'unpinned'])

export const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/)
export const ReviewId = z
  .string()
  .regex(/^pinr_[0-9a-f]{16}$/)
  .describe('The id of the review, as the list shows it')
export const ReviewState = z.enum(REVIEW_STATES)

const Part = z.enum(['name', 'description', 'inputSchema', 'outputSchema', 'annotations'])

/** A definition as its server lists it. */
export const Definition = z.looseObject({ name: z.string() })

export const MarkShape = z.strictObject({
  kind: z.enum(['hidden', 'direction', 'control', 'addresses_model', 'claim']),
  at: z.string(),
  text: z.string(),
})

const shape = {
  object: z.literal('pin_review'),
  review_id: ReviewId,
  state: ReviewState,
  vault_id: z.string(),
  tool_id: z.string(),
  finding: z.enum(FINDINGS),
  pin: z.string(),
  found_pin: z.string().nullable(),
  digest: z.string().describe('Over what is shown: a decision is for just this'),
  opened_at: z.string(),
  closed_at: z.string().nullable(),
  decided_by: z.string().nullable(),
  reason: z.string().nullable(),
}

/** A review as a list shows it. */
export const ReviewShape = z.strictObject(shape)

/** All of it: what was reviewed and what was found, and where they differ. */
export const ReviewInFull = z.strictObject({
  ...shape,
  reviewed: Definition.nullable(),
  found: Definition.nullable(),
  differs: z.array(Part),
  marks: z.array(MarkShape),
})

export function showReview(review: PinReview): z.output<typeof ReviewShape> {
  const { found_json: _, ...shown } = review
  return { object: 'pin_review', ...shown, digest: digestOf(review) }
}

export async function showReviewInFull(
  db: Reader,
  review: PinReview,
): Promise<z.output<typeof ReviewInFull>> {
  const [reviewed, found] = [await findDefinition(db, review.pin), foundIn(review)]
  return {
    ...showReview(review),
    reviewed: reviewed ?? null,
    found: found ?? null,
    differs: reviewed && found ? partsThatDiffer(reviewed, found) : [],
    marks: found ? findMarks(found) : [],
  }
}
