import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { limitInput } from '../../../operations/page-cursor.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import type { StoredEvent } from './cloud-event.ts'
import { cursorOf, findSeq } from './event-cursor.ts'
import { TEST_TYPE } from './event-types.ts'
import { subscriptionErrors } from './subscription-errors.ts'
import { addEvent, listEvents, oldestEvent } from './subscription-event-store.ts'
import { SubscriptionId, subscriptionTarget } from './subscription-record.ts'
import { subscriptionSpine } from './subscription-spine.ts'
import { findSubscription, lockSubscription } from './subscription-store.ts'
import { wakeDeliverer } from './wake-deliverer.ts'

const PAGE_LIMIT = 200
const PAGE_USUAL = 50

export const subscriptionTest = defineOwnerOperation({
  name: 'event_subscription_test',
  summary: 'Send a test event to the receiver of a subscription.',
  effect: 'create',
  status: 202,
  authority: ownerSurface(),
  rest: 'POST /v1/event-subscriptions/{subscription_id}/test-event',
  cli: 'owner subscription test <subscription_id>',
  errors: subscriptionErrors.pick('subscription_not_found', 'subscription_not_active'),
  target: ({ subscription_id }) => subscriptionTarget(subscription_id),
  spine: subscriptionSpine('test'),
  input: z.strictObject({ subscription_id: SubscriptionId }),
  output: z.strictObject({
    object: z.literal('event_subscription_test'),
    subscription_id: SubscriptionId,
    event_id: z.string(),
    cursor: z.string(),
  }),
  async handle({ input: { subscription_id }, caller, db, hub, refuse }) {
    const found = await lockSubscription(db, caller, subscription_id)
    if (!found) return refuse('subscription_not_found')
    if (found.status !== 'active') return refuse('subscription_not_active')
    const content = { type: TEST_TYPE, subject: subscription_id, data: { note: 'A test, as asked for.' } }
    const event = await addEvent(db, hub.system, subscription_id, content)
    if (!event) return refuse('subscription_not_found')
    wakeDeliverer(db, hub)
    const { event_id, seq } = event
    return { object: 'event_subscription_test' as const, subscription_id, event_id, cursor: cursorOf(seq) }
  },
})

const KeptEvent = z.strictObject({
  cursor: z.string(),
  delivered: z.boolean(),
  event: z.looseObject({ specversion: z.literal('1.0'), id: z.string(), type: z.string() }),
})

export const SubscriptionEventsOutput = z.strictObject({
  object: z.literal('list'),
  data: z.array(KeptEvent),
  next_cursor: z.string(),
  has_more: z.boolean(),
})

export const subscriptionEvents = defineOwnerOperation({
  name: 'event_subscription_events',
  summary: 'Read the kept events of a subscription from a cursor on, delivered or missed, in their order.',
  effect: 'read',
  authority: ownerSurface(),
  whileLocked: true,
  rest: 'GET /v1/event-subscriptions/{subscription_id}/events',
  cli: 'owner subscription events <subscription_id>',
  errors: subscriptionErrors.pick('subscription_not_found', 'cursor_expired'),
  target: ({ subscription_id }) => subscriptionTarget(subscription_id),
  input: z.strictObject({
    subscription_id: SubscriptionId,
    cursor: z.string().max(64).optional().describe('Events after this one; from the oldest kept if left out'),
    limit: limitInput(PAGE_LIMIT, PAGE_USUAL),
  }),
  output: SubscriptionEventsOutput,
  present: async () => (await import('./present-subscriptions.ts')).presentSubscriptionEvents,
  async handle({ input, caller, db, refuse }) {
    const { subscription_id, cursor, limit = PAGE_USUAL } = input
    const found = await findSubscription(db, caller, subscription_id)
    if (!found) return refuse('subscription_not_found')
    const oldest = (await oldestEvent(db, subscription_id)) ?? found.last_seq + 1
    const after = cursor === undefined ? oldest - 1 : findSeq(cursor)
    if (after === undefined || after > found.last_seq)
      return refuse('invalid_request', 'The cursor is not one of this subscription.')
    if (after < oldest - 1) return refuse('cursor_expired')
    const events = await listEvents(db, subscription_id, after, limit + 1)
    const page = events.slice(0, limit)
    return {
      object: 'list' as const,
      data: page.map((event) => showEvent(event, found.delivered_seq)),
      next_cursor: cursorOf(page.at(-1)?.seq ?? after),
      has_more: events.length > limit,
    }
  },
})

function showEvent({ seq, event_json }: StoredEvent, delivered_seq: number): z.infer<typeof KeptEvent> {
  return { cursor: cursorOf(seq), delivered: seq <= delivered_seq, event: JSON.parse(event_json) }
}
