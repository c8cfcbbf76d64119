import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { subscriptionErrors } from './subscription-errors.ts'
import { eraseEvents } from './subscription-event-store.ts'
import { Subscription, SubscriptionId, showSubscription, subscriptionTarget } from './subscription-record.ts'
import { subscriptionSpine } from './subscription-spine.ts'
import { eraseSubscription, lockSubscription } from './subscription-store.ts'

export const subscriptionDelete = defineOwnerOperation({
  name: 'event_subscription_delete',
  summary: 'Delete an event subscription with its secret and its events.',
  effect: 'delete',
  authority: ownerSurface(),
  whileLocked: true,
  rest: 'DELETE /v1/event-subscriptions/{subscription_id}',
  cli: 'owner subscription delete <subscription_id>',
  errors: subscriptionErrors.pick('subscription_not_found'),
  target: ({ subscription_id }) => subscriptionTarget(subscription_id),
  spine: subscriptionSpine('delete'),
  input: z.strictObject({ subscription_id: SubscriptionId }),
  output: Subscription,
  async handle({ input, caller, db, now, refuse }) {
    const found = await lockSubscription(db, caller, input.subscription_id)
    if (!found) return refuse('subscription_not_found')
    await eraseSubscription(db, found.subscription_id)
    await eraseEvents(db, found.subscription_id)
    return { ...showSubscription(found), status: 'deleted' as const, updated_at: now.toISOString() }
  },
})
