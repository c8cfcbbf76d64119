import { addressIn } from '../owner-vault.ts'
import { type Html, html } from './html.ts'
import { words } from './quoted-words.ts'
import { shownTime, tokenField } from './sign-in-view.ts'

export const PRESENCE_PATH = '/owner/presence'

/** What a command would open, as the page shows it. */
export interface ShownPresence {
  readonly presence_id: string
  readonly state: 'waiting' | 'confirmed' | 'refused' | 'used'
  readonly digest: string
  readonly operation: string
  readonly summary: string
  readonly vault_id: string
  readonly input: unknown
  readonly created_at: string
  readonly expires_at: string
}

const ENDS = {
  confirmed: 'Confirmed. The command goes on, once.',
  refused: 'Refused. Nothing was opened.',
  used: 'Confirmed, and done.',
} as const

/** All of it before the buttons: what is confirmed is what was shown. */
export function presenceView(shown: ShownPresence, form_token: string): Html {
  const { operation, summary, vault_id, input, created_at, expires_at, state } = shown
  return html`<section><h2>What it would do</h2><p>${summary}</p><dl><dt>Operation</dt><dd><code>${operation}</code></dd><dt>Vault</dt><dd>${vault_id}</dd>
<dt>Typed</dt><dd>${shownTime(created_at)}</dd><dt>Counts until</dt><dd>${shownTime(expires_at)}</dd></dl><h3>With</h3>${words(JSON.stringify(input, null, 2))}${callLink(shown)}</section>
<section id="decide"><h2>Decide</h2>${state === 'waiting' ? forms(shown, form_token) : html`<p>${ENDS[state]}</p>`}</section>`
}

/** A call that waits is read in full on its own page. */
function callLink({ input, vault_id }: ShownPresence): Html | false {
  const { approval_id } = Object(input) as { approval_id?: unknown }
  if (typeof approval_id !== 'string') return false
  return html`<p class="plain"><a href="${addressIn('/console/inbox', vault_id, { item: `call:${approval_id}` })}">Read the call that would be carried out</a></p>`
}

function forms({ presence_id, digest }: ShownPresence, form_token: string): Html {
  const form = (decision: string, button: Html) =>
    html`<form method="post" action="${PRESENCE_PATH}/${presence_id}">${tokenField(form_token)}<input type="hidden" name="digest" value="${digest}"><input type="hidden" name="decision" value="${decision}">${button}</form>`
  return html`<p>If you did not type it just now, refuse it: then a program did.</p><div class="acts">${form('confirm', html`<button class="main">Let it go on, once</button>`)}${form('refuse', html`<button class="bad">Refuse</button>`)}</div>`
}
