import type { ShownIntent } from '../../../../domains/control/intents/intent-schemas.ts'
import { type Html, html } from './html.ts'
import { buttonForm, shownTime, tokenField } from './sign-in-view.ts'

/** All that the page of one intent shows. */
export interface IntentVisit {
  readonly form_token: string
  readonly intent: ShownIntent
  /** What the connector says of itself. */
  readonly about: string
  /** Where a provider sends the owner back to. */
  readonly callback_url: string
  /** What was filled in before, without what is secret. */
  readonly typed: Readonly<Record<string, string>>
}

type Setting = ShownIntent['settings'][number]

/** The names of the fields that hold settings; other fields of the form are the page's own. */
export const SETTING_PREFIX = 'setting.'

/** The part of the page that says what the owner does next. */
export function intentView(visit: IntentVisit): Html {
  const { intent } = visit
  if (intent.state === 'completed') return html`${connectedCard(intent)}`
  if (intent.state !== 'open') return html`${overCard(visit)}`
  return html`${stepPart(visit)}${factsPart(visit)}`
}

function stepPart(visit: IntentVisit): Html {
  const { intent } = visit
  switch (intent.next_step.kind) {
    case 'needs_deployment_config':
      return html`<section><h2>The hub needs something first</h2><p>${intent.deployment_readiness.guidance ?? ''}</p></section>`
    case 'complete_browser_assistance':
      return html`<section><h2>What only you can do</h2><p>${visit.about}</p></section>${settingsForm(visit, 'complete', 'Give the file and connect')}`
    case 'enroll_local_collector':
      return html`${settingsForm(visit, 'complete', 'Connect')}<p class="note">Whoever begins this on the command line gets a code, and may run <code>knowtation collector enroll --code … --folder …</code> on this machine instead.</p>`
    default:
      return intent.setup_modality === 'provider_authorization'
        ? html`${settingsForm(visit, 'authorize', 'Go on to the provider')}<p class="note">At the provider, this hub must be registered with the address <code>${visit.callback_url}</code></p>`
        : settingsForm(visit, 'complete', 'Connect')
  }
}

function settingsForm({ form_token, intent, typed }: IntentVisit, act: string, label: string): Html {
  const { intent_id, settings } = intent
  const isFolded = settings.length > FOLD_FROM && Object.keys(typed).length === 0
  const first = settings.filter((setting) => !isFolded || isShownFirst(setting))
  const others = settings.filter((setting) => !first.includes(setting))
  const has_file = settings.some(({ kind }) => kind === 'file')
  const kind = has_file ? 'multipart/form-data' : 'application/x-www-form-urlencoded'
  const field = (setting: Setting) => settingField(setting, typed[setting.name])
  const more =
    others.length > 0 && html`<details><summary>More settings</summary>${others.map(field)}</details>`
  return html`<form class="card" method="post" action="/owner/intents/${intent_id}/${act}" enctype="${kind}">${tokenField(form_token)}
${first.map(field)}${more}<button class="main wide">${label}</button></form>`
}

/** A form with more settings than this begins with those that are needed. */
const FOLD_FROM = 5

/** What is needed, or has no value that would do by itself; the rest is behind a fold. */
function isShownFirst({ required, default: given, kind }: Setting): boolean {
  return (required && given === null) || kind === 'file'
}

const TYPES: Readonly<Record<Setting['kind'], string>> = {
  text: 'text',
  url: 'url',
  folder: 'text',
  secret: 'password',
  file: 'file',
}

function settingField({ name, label, kind, required, hint, default: given }: Setting, typed?: string): Html {
  const value = kind === 'secret' || kind === 'file' ? '' : (typed ?? given ?? '')
  const needed = required && given === null ? html` required` : html``
  const optional = !required && html` <i class="optional">optional</i>`
  return html`<label>${label}${optional}<input type="${TYPES[kind]}" name="${SETTING_PREFIX}${name}" value="${value}" autocomplete="off" spellcheck="false"${needed}>${hint !== null && html`<small>${hint}</small>`}</label>`
}

function factsPart({ form_token, intent, typed }: IntentVisit): Html {
  const { intent_id, created_by, expires_at, display_name, fault } = intent
  const cancel = buttonForm({
    action: `/owner/intents/${intent_id}/cancel`,
    form_token,
    label: 'Cancel this',
    kind: 'bad small',
  })
  return html`<section><dl>${display_name !== null && html`<dt>To be called</dt><dd>${display_name}</dd>`}
<dt>Begun by</dt><dd>${beginner(created_by)}</dd><dt>Waits until</dt><dd>${shownTime(expires_at)}</dd>
${fault !== null && Object.keys(typed).length === 0 && html`<dt>Last try</dt><dd>${fault}</dd>`}</dl>${cancel}</section>
<p class="note">Nothing is connected before the source has answered once. Credentials are sealed, and no page, log or agent is shown them again.</p>`
}

/** Who began it, in words. */
function beginner(created_by: string): string {
  const [kind = '', id = ''] = created_by.split(':')
  if (kind === 'owner_agent') return `your agent ${id}`
  return kind === 'owner_session' ? 'you, in a browser' : 'you, at the hub'
}

function connectedCard({ connection_id, connector_name, display_name, ended_at }: ShownIntent): Html {
  return html`<section><h2>${display_name ?? connector_name}</h2><p>The connection is active.</p>
<dl><dt>Connection</dt><dd><code>${connection_id ?? ''}</code></dd><dt>Since</dt><dd>${shownTime(ended_at ?? '')}</dd></dl>
<p class="plain"><a href="/owner/connections">Your connections</a> · <a href="/owner/intents">Connect something else</a></p></section>`
}

function overCard({ intent, about }: IntentVisit): Html {
  const isUnsupported = intent.state === 'unsupported'
  const runbook = intent.runbook_path
  return html`<section><h2>${isUnsupported ? 'Not possible here' : 'Nothing was connected'}</h2>
<p>${isUnsupported ? about : intent.next_step.reason}</p>
${isUnsupported && runbook !== null && html`<p class="plain">More on this: <code>${runbook}</code></p>`}
<p class="plain"><a href="/owner/intents">Connect something else</a></p></section>`
}

/** A kind of connection that the owner can begin. */
export interface Offer {
  readonly connector_id: string
  readonly display_name: string
  readonly about: string
  readonly is_offered: boolean
}

/** What waits for the owner, and what can be begun. */
export function intentsView(
  form_token: string,
  waiting: readonly ShownIntent[],
  offers: readonly Offer[],
): Html {
  const rows = waiting.map(
    ({ intent_id, connector_name, display_name, created_by, expires_at }) =>
      html`<li><div><b>${display_name ?? connector_name}</b><span>${connector_name} · begun by ${beginner(created_by)} · until ${shownTime(expires_at)}</span></div><a class="button" href="/owner/intents/${intent_id}" aria-label="Go on: ${display_name ?? connector_name}">Go on</a></li>`,
  )
  const begun = offers.map(({ connector_id, display_name, about: reads, is_offered }) => {
    const about = display_name
    const begin = { action: '/owner/intents', form_token, label: 'Connect', kind: 'small', about }
    const act = is_offered ? buttonForm(begin, { connector_id }) : html`<span>not possible</span>`
    return html`<li><div><b>${display_name}</b><span>${reads}</span></div>${act}</li>`
  })
  return html`<section><h2>Waiting for you</h2><p>Connections that were begun, by you or an agent of yours, and need a step that only you can take.</p>
${rows.length > 0 ? html`<ul class="list offers">${rows}</ul>` : html`<p class="empty">Nothing waits.</p>`}</section>
<section><h2>Connect something</h2><p>Where this hub can collect from.</p><ul class="list offers">${begun}</ul></section>`
}
