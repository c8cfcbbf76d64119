import { withNextPage } from './list-end.ts'
import type { Page } from './page.ts'
import { presentAny } from './present-any.ts'
import { cellOf, renderTable } from './table.ts'

interface Subscription {
  subscription_id: string
  status: string
  disabled_reason: string | null
  callback_url: string
  client_id: string
  delivery: { pending_count: number; attempts: number; last_failure: string | null }
  secret?: string
}

/** Event subscriptions, a line each. */
export function presentSubscriptions(body: unknown, page: Page): string {
  const { data, next_cursor } = body as { data: Subscription[]; next_cursor: string | null }
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
export function presentSubscription(body: unknown, page: Page): string {
  const { secret, ...shown } = body as Subscription
  const facts = presentAny(shown, page)
  if (secret === undefined) return facts
  const once = 'The signing secret. This is the only time it is shown: give it to the receiver.'
  return [facts, '', `  ${page.bold(cellOf(secret))}`, '', page.yellow(once)].join('\n')
}

interface Kept {
  cursor: string
  delivered: boolean
  event: { id: string; type: string; time: string; subject: string }
}

/** The kept events of a subscription, a line each. */
export function presentSubscriptionEvents(body: unknown, page: Page): string {
  const { data, next_cursor, has_more } = body as { data: Kept[]; next_cursor: string; has_more: boolean }
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
