import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { BEFORE_OLDEST, cutPage, findPlace, pageInputs } from '../../../operations/page-cursor.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { subscriptionErrors } from './subscription-errors.ts'
import { Subscription, SubscriptionId, showSubscription, subscriptionTarget } from './subscription-record.ts'
import { findSubscription, listSubscriptions } from './subscription-store.ts'

const PAGE_LIMIT = 100

export const SubscriptionListOutput = z.strictObject({
  object: z.literal('list'),
  data: z.array(Subscription),
  next_cursor: z.string().nullable(),
})

export const subscriptionList = defineOwnerOperation({
  name: 'event_subscription_list',
  summary: 'List event subscriptions, oldest first: the owner sees all, an agent its own.',
  effect: 'read',
  authority: ownerSurface(),
  whileLocked: true,
  rest: 'GET /v1/event-subscriptions',
  cli: 'owner subscription list',
  errors: {},
  input: z.strictObject(pageInputs(PAGE_LIMIT, PAGE_LIMIT)),
  output: SubscriptionListOutput,
  present: async () => (await import('./present-subscriptions.ts')).presentSubscriptions,
  async handle({ input, caller, db, refuse }) {
    const { cursor, limit = PAGE_LIMIT } = input
    const after =
      findPlace(cursor, BEFORE_OLDEST) ?? refuse('invalid_request', 'The cursor is not one of this list.')
    const found = await listSubscriptions(db, caller, after, limit + 1)
    const { items, next_cursor } = cutPage(found, limit, (one) => ({
      at: one.created_at,
      id: one.subscription_id,
    }))
    return { object: 'list' as const, data: items.map(showSubscription), next_cursor }
  },
})

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
  present: async () => (await import('./present-subscriptions.ts')).presentSubscription,
  async handle({ input, caller, db, refuse }) {
    const found = await findSubscription(db, caller, input.subscription_id)
    return found ? showSubscription(found) : refuse('subscription_not_found')
  },
})
