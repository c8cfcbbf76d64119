import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import type { Hub } from '../../../operations/hub.ts'
import type { System } from '../../../platform/basics/system.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { findCallbackFault } from './callback-url.ts'
import { EventFilters } from './event-filters.ts'
import { CallbackUrl } from './subscription-create.ts'
import { subscriptionErrors } from './subscription-errors.ts'
import {
  SubscriptionId,
  SubscriptionWithSecret,
  showSubscription,
  subscriptionTarget,
} from './subscription-record.ts'
import { FORMER_SECRET_SECONDS, makeSecret } from './subscription-secrets.ts'
import { subscriptionSpine } from './subscription-spine.ts'
import { type FullSubscription, lockSubscription, writeSubscription } from './subscription-store.ts'
import { makeVerification } from './verification.ts'
import { wakeDeliverer } from './wake-deliverer.ts'

const Changes = z.strictObject({
  subscription_id: SubscriptionId,
  callback_url: CallbackUrl.optional(),
  filters: EventFilters.optional().describe('In place of the filters so far'),
  status: z.enum(['active', 'disabled']).optional().describe('disabled stops delivery, active goes on'),
  rotate_secret: z.boolean().optional().describe('Make a new signing secret; the former one lasts a day'),
})
type Changes = z.infer<typeof Changes>

export const subscriptionUpdate = defineOwnerOperation({
  name: 'event_subscription_update',
  summary: 'Change an event subscription, stop it, let it go on, or give it a new signing secret.',
  effect: 'update',
  authority: ownerSurface(),
  rest: 'PATCH /v1/event-subscriptions/{subscription_id}',
  cli: 'owner subscription update <subscription_id>',
  errors: subscriptionErrors.pick('subscription_not_found', 'subscription_revoked', 'invalid_callback_url'),
  target: ({ subscription_id }) => subscriptionTarget(subscription_id),
  spine: subscriptionSpine('update'),
  input: Changes,
  output: SubscriptionWithSecret,
  present: async () => (await import('./present-subscriptions.ts')).presentSubscription,
  async handle({ input, caller, db, hub, now, hosted, refuse }) {
    const { callback_url, filters, status, rotate_secret } = input
    if (callback_url === undefined && !filters && !status && !rotate_secret)
      return refuse('invalid_request', 'Name at least one change.')
    const found = await lockSubscription(db, caller, input.subscription_id)
    if (!found) return refuse('subscription_not_found')
    if (found.status === 'disabled_revoked') return refuse('subscription_revoked')
    const fault = callback_url === undefined ? undefined : findCallbackFault(callback_url, { hosted })
    if (fault) return refuse('invalid_callback_url', fault)
    const { row, secret } = await rotated(db, hub, changed(hub.system, found, input), rotate_secret, now)
    const kept = { ...row, updated_at: now.toISOString() }
    const isNewStart =
      status === 'active' || (callback_url !== undefined && callback_url !== found.callback_url)
    await writeSubscription(db, kept, isNewStart)
    wakeDeliverer(db, hub)
    const restart = isNewStart ? { attempts: 0, next_attempt_at: null, last_failure: null } : {}
    return { ...showSubscription({ ...kept, ...restart }), ...(secret !== undefined && { secret }) }
  },
})

/** The subscription with what is wanted of it. An address that did not prove itself is asked first. */
function changed(system: System, found: FullSubscription, wanted: Changes): FullSubscription {
  const row = { ...found }
  if (wanted.filters) row.filters_json = JSON.stringify(wanted.filters)
  if (wanted.callback_url !== undefined && wanted.callback_url !== found.callback_url) {
    row.callback_url = wanted.callback_url
    row.verified_at = null
    row.verification_json = makeVerification(system, found.subscription_id)
    if (row.status === 'active') row.status = 'pending_verification'
  }
  if (wanted.status === 'disabled') {
    row.status = 'disabled'
    row.disabled_reason = 'requested'
  }
  if (wanted.status === 'active') {
    row.status = row.verified_at === null ? 'pending_verification' : 'active'
    row.disabled_reason = null
  }
  return row
}

async function rotated(
  tx: Transaction,
  hub: Hub,
  row: FullSubscription,
  rotate: boolean | undefined,
  now: Date,
): Promise<{ row: FullSubscription; secret?: string }> {
  if (!rotate) return { row }
  const { secret, sealed_secret } = await makeSecret(tx, hub, row.subscription_id)
  const former_until = new Date(now.getTime() + FORMER_SECRET_SECONDS * 1_000).toISOString()
  return { secret, row: { ...row, sealed_secret, sealed_former_secret: row.sealed_secret, former_until } }
}
