import { type Html, html } from './html.ts'
import { tokenField } from './sign-in-view.ts'

const BACK = '/console/data?tab=subscriptions'

/** What the owner has chosen in the console, before anything is made of it. */
export interface SubscriptionWish {
  readonly callback_url: string
  readonly connection_id: string
  readonly types: readonly string[]
  /** The subscription that gets another secret; empty for a new one. */
  readonly subscription_id: string
}

/** What would be made, and the button that makes it. */
export function wishForm(wish: SubscriptionWish, form_token: string, once: string, path: string): Html {
  const { callback_url, connection_id, types, subscription_id } = wish
  const hidden = Object.entries({
    once,
    callback_url,
    connection_id,
    types: types.join(','),
    subscription_id,
  })
  const fields = hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  const facts =
    subscription_id === ''
      ? html`<dt>Posted to</dt><dd><code>${callback_url}</code></dd><dt>About</dt><dd>${connection_id === '' ? 'all connections' : html`<code>${connection_id}</code>`}</dd><dt>Events</dt><dd>${types.length === 0 ? 'all kinds' : types.join(', ')}</dd>`
      : html`<dt>Subscription</dt><dd><code>${subscription_id}</code></dd>`
  const label = subscription_id === '' ? 'Subscribe and show the secret' : 'Make a new secret and show it'
  return html`<form class="card" method="post" action="${path}">${tokenField(form_token)}${fields}<dl>${facts}</dl><button class="main wide">${label}</button></form>
<p class="plain"><a href="${BACK}">Back, nothing is made</a></p>`
}

/** The only page that has the secret. */
export function secretPart({ callback_url, secret }: { callback_url: string; secret: string }): Html {
  return html`<section class="once" data-once><h2>The signing secret</h2><p>Copy it now: it cannot be shown again. The hub keeps it sealed, and this page forgets it when you leave or reload it.</p>
<code class="bearer">${secret}</code>
<div class="row"><button type="button" class="main" data-copy hidden>Copy the secret</button><span role="status"></span></div>
<p class="note">By it the receiver at <code>${callback_url}</code> checks that events are from this hub (Standard Webhooks).</p></section>
<p class="plain"><a class="button" href="${BACK}">Done, I have copied it</a></p>`
}
