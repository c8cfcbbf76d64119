import type { Grant } from '../../../../domains/flows/grants/grant-record.ts'
import type { GrantTerms } from '../../../../domains/flows/grants/grant-terms.ts'
import { counted } from '../../../../platform/basics/printable.ts'
import { addressIn, vaultField } from '../owner-vault.ts'
import { type Html, html } from './html.ts'
import { cutWord, word } from './quoted-words.ts'
import { shownTime, tokenField } from './sign-in-view.ts'

/** What the form for a new grant is made of. */
export interface MintVisit {
  readonly vault: string
  readonly form_token: string
  /** Lets the form count once, so that a reload mints nothing. */
  readonly once: string
  readonly terms: GrantTerms
  readonly flows: readonly { readonly flow_id: string; readonly version: string; readonly title: string }[]
  /** The flow version that was chosen, with those of its tools that can be granted, and those that cannot. */
  readonly chosen:
    | {
        readonly flow_id: string
        readonly version: string
        readonly offered: readonly string[]
        readonly denied: readonly string[]
      }
    | undefined
}

/** The names of the fields that hold a tool each: a form has every field once. */
export const TOOL_PREFIX = 'tool.'
/** As many as a form has room for. */
const TOOLS_OFFERED = 50
const TITLE_CHARS = 60
const LIFETIMES_SECONDS = [900, 3_600, 28_800, 86_400]

/** The one page that has the bearer. As text, not in a field: browsers remember what fields held. */
export function newGrantPart({ grant, bearer }: { grant: Grant; bearer: string }): Html {
  return html`<section class="once" data-once><h2>The bearer of the new grant</h2><p>Copy it now: it cannot be shown again. The hub keeps only its hash, and this page forgets it when you leave or reload it.</p>
<code class="bearer">${bearer}</code>
<div class="row"><button type="button" class="main" data-copy hidden>Copy the bearer</button><span role="status"></span></div>
<p class="note">For ${grant.flow_id} ${grant.flow_version}, until ${shownTime(grant.expires_at)}. The agent sends it in the header <code>X-Flow-External-Bearer</code>, beside a credential of its own. Grant: <code>${grant.grant_id}</code></p></section>`
}

/** First the flow, then what of it is granted. */
export function mintPart(visit: MintVisit): Html {
  return html`<section><h2>A new grant</h2><p>For one version of one flow, some of its tools, and not longer than ${lifetimeText(visit.terms.max_ttl_seconds)}.</p>${chooseForm(visit)}${mintForm(visit)}</section>`
}

function chooseForm({ vault, flows, chosen }: MintVisit): Html {
  if (flows.length === 0) return html`<p class="empty">There is no flow in this vault.</p>`
  const options = flows.map(
    ({ flow_id, version, title }) =>
      html`<option value="${flow_id}"${flow_id === chosen?.flow_id && html` selected`}>${flow_id} ${version}: ${cutWord(title, TITLE_CHARS)}</option>`,
  )
  return html`<form class="row" method="get" action="/owner/external-agents">${vaultField(vault)}<label>Flow<select name="flow">${options}</select></label>
<label>Version<input name="version" value="${chosen?.version ?? ''}" placeholder="the newest" maxlength="64" autocomplete="off"></label><button>Choose</button></form>`
}

function mintForm({ vault, form_token, once, terms, chosen }: MintVisit): Html | false {
  if (!chosen) return false
  const { flow_id, version, offered, denied } = chosen
  const left =
    denied.length > 0 &&
    html`<p class="note">It declares more, which the allowlist does not have: ${denied.map((tool, at) => html`${at > 0 && ', '}${word(tool)}`)}.</p>`
  if (offered.length === 0)
    return html`<p class="empty"><b>${flow_id} ${version}</b> declares no tool that the policy allows, so there is nothing to grant.</p>${left}`
  const boxes = offered
    .slice(0, TOOLS_OFFERED)
    .map(
      (tool, at) =>
        html`<label class="box"><input type="checkbox" name="${TOOL_PREFIX}${at}" value="${tool}">${word(tool)}</label>`,
    )
  const lifetimes = [...new Set([...LIFETIMES_SECONDS, terms.default_ttl_seconds, terms.max_ttl_seconds])]
    .filter((seconds) => seconds <= terms.max_ttl_seconds)
    .toSorted((a, b) => a - b)
    .map(
      (seconds) =>
        html`<option value="${seconds}"${seconds === terms.default_ttl_seconds && html` selected`}>${lifetimeText(seconds)}</option>`,
    )
  const cut =
    offered.length > TOOLS_OFFERED &&
    html`<p class="note">These are the first ${TOOLS_OFFERED} of ${offered.length}; knowtation flow grant mint takes any.</p>`
  return html`<form class="mint" method="post" action="${addressIn('/owner/external-agents', vault)}">${tokenField(form_token)}<input type="hidden" name="once" value="${once}"><input type="hidden" name="flow_id" value="${flow_id}"><input type="hidden" name="flow_version" value="${version}">
<fieldset><legend>Tools of ${flow_id} ${version}</legend>${boxes}</fieldset>${cut}${left}
<div class="row"><label>Lifetime<select name="ttl_seconds">${lifetimes}</select></label><label>Whom it is for <span class="optional">optional</span><input name="actor_label" maxlength="256" autocomplete="off" placeholder="kept only as a hash"></label></div>
<button class="main">Mint the grant</button></form>`
}

function lifetimeText(seconds: number): string {
  if (seconds % 3_600 === 0) return counted(seconds / 3_600, 'hour')
  return seconds % 60 === 0 ? counted(seconds / 60, 'minute') : counted(seconds, 'second')
}
