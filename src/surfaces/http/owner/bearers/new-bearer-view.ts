import { vaultField } from '../owner-vault.ts'
import { type Html, html } from '../views/html.ts'
import { word } from '../views/quoted-words.ts'
import { tokenField } from '../views/sign-in-view.ts'
import type { Made, Told } from './ceremonies.ts'

const SIGNS: Readonly<Record<Told['is'], string>> = { yes: 'Yes', no: 'No', asks: 'Asks' }

/** What the one button of a ceremony is about. */
export function confirmPart(visit: {
  path: string
  vault: string
  form_token: string
  once: string
  wanted: string
  digest: string
  name: string | undefined
  allows: readonly Told[]
  button: string
  back: string
  isReady: boolean
}): Html {
  const { path, vault, form_token, once, wanted, digest, name, allows, button, back, isReady } = visit
  const rows = allows.map(
    ({ is, text }) => html`<li class="${is}"><b>${SIGNS[is]}</b><span>${word(text)}</span></li>`,
  )
  const fields = { once, wanted, digest }
  const hidden = Object.entries(fields).map(
    ([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`,
  )
  return html`<section>${name !== undefined && html`<h2>${word(name)}</h2>`}<ul class="allows">${rows}</ul></section>
<form class="row" method="post" action="${path}">${tokenField(form_token)}${vaultField(vault)}${hidden}${isReady && html`<button class="main">${button}</button>`}<a class="button" href="${back}">Back</a></form>`
}

/** The one page that has the bearer. As text, not in a field: browsers remember what fields held. */
export function bearerPart({ bearer, sent, id }: Made, connect: string): Html {
  return html`<section class="once" data-once><h2>Its bearer</h2><p>This page forgets it when you leave or reload it.</p>
<code class="bearer">${bearer}</code>
<div class="row"><button type="button" class="main" data-copy hidden>Copy the bearer</button><span role="status"></span></div>
<p class="note">${sent} Its id: <code>${id}</code></p></section>
<p class="plain"><a class="button" href="${connect}">Next: connect the agent</a></p>`
}
