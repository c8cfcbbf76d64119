import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import type { Caller } from '../../../platform/identity/caller.ts'
import { OWNER_ID } from '../../../platform/identity/owner-account.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { CALLBACK_LIMIT_BYTES, findCallbackFault } from './callback-url.ts'
import { EventFilters } from './event-filters.ts'
import { subscriptionErrors } from './subscription-errors.ts'
import { SUBSCRIPTION_LIMIT } from './subscription-limits.ts'
import { SubscriptionWithSecret, showSubscription, subscriptionTarget } from './subscription-record.ts'
import { makeSecret } from './subscription-secrets.ts'
import { subscriptionSpine } from './subscription-spine.ts'
import { countSubscriptions, insertSubscription } from './subscription-store.ts'
import { makeVerification } from './verification.ts'
import { wakeDeliverer } from './wake-deliverer.ts'

export const CallbackUrl = z
  .string()
  .min(1)
  .max(CALLBACK_LIMIT_BYTES)
  .describe('Where events are posted: https, or http on localhost, 127.0.0.1 or [::1]')

const UNDELIVERED = {
  last_seq: 0,
  delivered_seq: 0,
  attempts: 0,
  next_attempt_at: null,
  last_failure: null,
  delivered_at: null,
}

export const subscriptionCreate = defineOwnerOperation({
  name: 'event_subscription_create',
  summary: 'Be told of changes by signed events. The signing secret is shown this once.',
  effect: 'create',
  authority: ownerSurface(),
  rest: 'POST /v1/event-subscriptions',
  cli: 'owner subscription create <callback_url>',
  errors: subscriptionErrors.pick('invalid_callback_url', 'too_many_subscriptions'),
  made: ({ subscription_id }) => subscriptionTarget(subscription_id),
  spine: subscriptionSpine('create'),
  input: z.strictObject({
    callback_url: CallbackUrl,
    filters: EventFilters.optional().describe(
      'Which events: streams, connection_ids, types; all if left out',
    ),
  }),
  output: SubscriptionWithSecret,
  present: async () => (await import('./present-subscriptions.ts')).presentSubscription,
  async handle({ input, caller, db, hub, now, hosted, refuse }) {
    const fault = findCallbackFault(input.callback_url, { hosted })
    if (fault) return refuse('invalid_callback_url', fault)
    const subscription_id = `sub_${hub.system.random(12)}`
    // Who seals a secret waits for all others who do, at any hub: from here on the count is right.
    const { secret, sealed_secret } = await makeSecret(db, hub, subscription_id)
    if ((await countSubscriptions(db)) >= SUBSCRIPTION_LIMIT) return refuse('too_many_subscriptions')
    const row = {
      subscription_id,
      ...authorityOf(caller),
      callback_url: input.callback_url,
      filters_json: JSON.stringify(input.filters ?? {}),
      status: 'pending_verification' as const,
      disabled_reason: null,
      verified_at: null,
      verification_json: makeVerification(hub.system, subscription_id),
      sealed_secret,
      sealed_former_secret: null,
      former_until: null,
      created_at: now.toISOString(),
      updated_at: now.toISOString(),
    }
    await insertSubscription(db, row)
    wakeDeliverer(db, hub)
    return { ...showSubscription({ ...row, ...UNDELIVERED }), secret }
  },
})

function authorityOf({ kind, id, agent }: Caller) {
  if (kind !== 'owner_agent') return { authority_kind: 'owner', client_id: OWNER_ID, agent_id: null }
  return { authority_kind: 'trusted_owner_agent', client_id: agent?.client_id ?? id, agent_id: id }
}
