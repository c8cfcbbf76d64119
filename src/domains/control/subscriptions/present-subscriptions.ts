import type { z } from 'zod'
import { withNextPage } from '../../../operations/present/list-end.ts'
import type { Page } from '../../../operations/present/page.ts'
import { presentAny } from '../../../operations/present/present-any.ts'
import { cellOf, renderTable } from '../../../operations/present/table.ts'
import type { SubscriptionEventsOutput } from './subscription-events.ts'
import type { SubscriptionListOutput } from './subscription-read.ts'
import type { SubscriptionWithSecret } from './subscription-record.ts'

/** Event subscriptions, a line each. */
export function presentSubscriptions(
  { data, next_cursor }: z.output<typeof SubscriptionListOutput>,
  page: Page,
): string {
  if (data.length === 0)
    return 'No subscriptions. `knowtation owner subscription create <callback_url>` makes one.'
  const rows = data.map(({ subscription_id, status, callback_url, client_id, delivery }) => [
    subscription_id,
    status,
    callback_url,
    client_id,
    String(delivery.pending_count),
    delivery.last_failure,
  ])
  const heads = ['subscription', 'status', 'callback', 'client', 'pending', 'last failure']
  const table = renderTable(heads, rows, page)
  return withNextPage(table, '--cursor', next_cursor, page)
}

/** A subscription and, where one was made just now, its signing secret, which nobody can show again. */
export function presentSubscription(
  { secret, ...shown }: z.output<typeof SubscriptionWithSecret>,
  page: Page,
): string {
  const facts = presentAny(shown, page)
  if (secret === undefined) return facts
  const once = 'The signing secret. This is the only time it is shown: give it to the receiver.'
  return [facts, '', `  ${page.bold(cellOf(secret))}`, '', page.yellow(once)].join('\n')
}

/** The kept events of a subscription, a line each. */
export function presentSubscriptionEvents(
  { data, next_cursor, has_more }: z.output<typeof SubscriptionEventsOutput>,
  page: Page,
): string {
  if (data.length === 0) return `No events after ${cellOf(next_cursor)}.`
  const rows = data.map(({ cursor, delivered, event }) => [
    cursor,
    event.time,
    event.type,
    event.subject,
    delivered ? 'yes' : 'no',
    event.id,
  ])
  const table = renderTable(['cursor', 'time', 'type', 'about', 'delivered', 'event'], rows, page)
  return withNextPage(table, '--cursor', has_more ? next_cursor : null, page)
}
