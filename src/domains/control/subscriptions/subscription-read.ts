import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { subscriptionErrors } from './subscription-errors.ts'
import { Subscription, SubscriptionId, showSubscription, subscriptionTarget } from './subscription-record.ts'
import { findSubscription, listSubscriptions } from './subscription-store.ts'

const PAGE_LIMIT = 100
const PLACE = /^([0-9TZ:.-]{20,32})\|(sub_[0-9a-f]{24})$/

export const subscriptionList = defineOwnerOperation({
  name: 'event_subscription_list',
  summary: 'List event subscriptions, oldest first: the owner sees all, an agent its own.',
  effect: 'read',
  authority: ownerSurface(),
  whileLocked: true,
  rest: 'GET /v1/event-subscriptions',
  cli: 'owner subscription list',
  errors: {},
  input: z.strictObject({
    limit: z.int().min(1).max(PAGE_LIMIT).optional().describe(`At most so many; ${PAGE_LIMIT} when left out`),
    cursor: z.string().max(512).optional().describe('next_cursor of the page before'),
  }),
  output: z.strictObject({
    object: z.literal('list'),
    data: z.array(Subscription),
    next_cursor: z.string().nullable(),
  }),
  async handle({ input, caller, db, refuse }) {
    const after = findPlace(input.cursor) ?? refuse('invalid_request', 'The cursor is not one of this list.')
    const limit = input.limit ?? PAGE_LIMIT
    const found = await listSubscriptions(db, caller, after, limit + 1)
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    const next_cursor = last
      ? Buffer.from(`${last.created_at}|${last.subscription_id}`).toString('base64url')
      : null
    return { object: 'list' as const, data: page.map(showSubscription), next_cursor }
  },
})

function findPlace(cursor: string | undefined): { at: string; id: string } | undefined {
  if (cursor === undefined) return { at: '', id: '' }
  const [, at, id] = PLACE.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  return at !== undefined && id !== undefined ? { at, id } : undefined
}

export const subscriptionShow = defineOwnerOperation({
  name: 'event_subscription_show',
  summary: 'Show an event subscription and how far it is delivered.',
  effect: 'read',
  authority: ownerSurface(),
  whileLocked: true,
  rest: 'GET /v1/event-subscriptions/{subscription_id}',
  cli: 'owner subscription show <subscription_id>',
  errors: subscriptionErrors.pick('subscription_not_found'),
  target: ({ subscription_id }) => subscriptionTarget(subscription_id),
  input: z.strictObject({ subscription_id: SubscriptionId }),
  output: Subscription,
  async handle({ input, caller, db, refuse }) {
    const found = await findSubscription(db, caller, input.subscription_id)
    return found ? showSubscription(found) : refuse('subscription_not_found')
  },
})
