import { z } from 'zod'
import { cursorOf } from './event-cursor.ts'
import { EventFilters } from './event-filters.ts'
import type { FullSubscription } from './subscription-store.ts'

const SUBSCRIPTION_STATUSES = [
  'pending_verification',
  'active',
  'disabled',
  'disabled_failure',
  'disabled_revoked',
  'deleted',
] as const
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]

export const SubscriptionId = z
  .string()
  .regex(/^sub_[0-9a-f]{24}$/)
  .describe('The id of the subscription, sub_…')

const Delivery = z.strictObject({
  /** Up to here the receiver has everything. */
  cursor: z.string(),
  pending_count: z.int(),
  attempts: z.int(),
  next_attempt_at: z.string().nullable(),
  last_failure: z.string().nullable(),
  delivered_at: z.string().nullable(),
})

const shape = {
  object: z.literal('event_subscription'),
  subscription_id: SubscriptionId,
  authority_kind: z.enum(['trusted_owner_agent', 'owner']),
  callback_url: z.string(),
  client_id: z.string(),
  grant_id: z.null(),
  scope: z.literal('owner'),
  filters: EventFilters,
  status: z.enum(SUBSCRIPTION_STATUSES),
  disabled_reason: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  delivery: Delivery,
}

/** A subscription as it is shown. Its signing secret is never part of it. */
export const Subscription = z.strictObject(shape).meta({ id: 'EventSubscription' })

/** A subscription together with the secret that was made just now: shown this once. */
export const SubscriptionWithSecret = z
  .strictObject({ ...shape, secret: z.string().optional() })
  .meta({ id: 'EventSubscriptionWithSecret' })

/** Shows a subscription. */
export function showSubscription(row: FullSubscription): z.infer<typeof Subscription> {
  const { subscription_id, callback_url, client_id, status, disabled_reason, created_at, updated_at } = row
  const { delivered_seq, attempts, next_attempt_at, last_failure, delivered_at } = row
  return {
    object: 'event_subscription',
    subscription_id,
    authority_kind: row.authority_kind === 'owner' ? 'owner' : 'trusted_owner_agent',
    callback_url,
    client_id,
    grant_id: null,
    scope: 'owner',
    filters: EventFilters.parse(JSON.parse(row.filters_json)),
    status,
    disabled_reason,
    created_at,
    updated_at,
    delivery: {
      cursor: cursorOf(delivered_seq),
      pending_count: row.last_seq - delivered_seq,
      attempts,
      next_attempt_at,
      last_failure,
      delivered_at,
    },
  }
}

/** A subscription, as the audit log names it. */
export function subscriptionTarget(subscription_id: string) {
  return { kind: 'event_subscription', id: subscription_id }
}
