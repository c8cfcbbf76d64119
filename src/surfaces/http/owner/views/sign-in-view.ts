import type { DeviceGrant } from '../../../../platform/identity/owner-device-grants.ts'
import { PASSWORD_MIN_CHARS } from '../../../../platform/identity/owner-password.ts'
import { type Html, html } from './html.ts'

/** The hidden field that every form carries. */
export function tokenField(form_token: string): Html {
  return html`<input type="hidden" name="form_token" value="${form_token}">`
}

/** Tells password managers whose password it is; the hub itself has one owner and asks for no name. */
const OWNER_NAME = html`<input name="username" value="owner" autocomplete="username" readonly hidden>`

/** A form that is only a button. Where a page has several of a kind, `about` tells those apart who hear it. */
export function buttonForm(
  {
    action,
    form_token,
    label,
    kind = '',
    about,
  }: { action: string; form_token: string; label: string; kind?: string; about?: string },
  fields: Readonly<Record<string, string>> = {},
): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form method="post" action="${action}">${tokenField(form_token)}${hidden}<button class="${kind}"${about !== undefined && html` aria-label="${label}: ${about}"`}>${label}</button></form>`
}

/** Where a sign-in leads: to the page that somebody came for, or to the console. */
export function placeAfter(visit: { user_code: string | undefined; place: string | undefined }): string {
  if (visit.user_code !== undefined) return `/device?user_code=${encodeURIComponent(visit.user_code)}`
  return visit.place ?? '/console'
}

const PLACE =
  /^\/oauth\/consent\/[\w-]{16,64}$|^\/owner\/(external-agents|subscriptions|new\/(?:grant|seat|token))$|^\/console(?:\/[A-Za-z0-9._~-]{1,128}){0,6}(?:\?[A-Za-z0-9._~%:=&-]{1,512})?$/

/** A page of the owner's that a sign-in may lead to; no other address will do. */
export function findPlace(path: string): string | undefined {
  return PLACE.test(path) ? path : undefined
}

/** Signing in with the password, or with a passkey where the page has a name that passkeys can be bound to. */
export function signInForm(visit: {
  form_token: string
  user_code: string | undefined
  place: string | undefined
  has_passkeys: boolean
}): Html {
  const { form_token, user_code, place, has_passkeys } = visit
  return html`<div class="card">
<form method="post" action="/owner/sign-in">${tokenField(form_token)}${OWNER_NAME}
<input type="hidden" name="user_code" value="${user_code ?? ''}"><input type="hidden" name="place" value="${place ?? ''}">
<label>Password<input type="password" name="password" autocomplete="current-password" required autofocus></label>
<button class="main wide">Sign in</button></form>
${
  has_passkeys &&
  html`<form data-passkey="sign-in" data-then="${placeAfter(visit)}" hidden><p class="or">or</p>${tokenField(form_token)}
<button class="wide">Use a passkey</button><p class="fault" role="alert" hidden></p></form>`
}
</div>
<p class="note">No password at hand? Run <code>knowtation owner login</code> where the hub runs: it prints a link that signs you in.</p>`
}

/** The first sign-in: a password is chosen. */
export function setUpForm(form_token: string, link: string): Html {
  return html`<form class="card" method="post" action="/owner/set-up">${tokenField(form_token)}${OWNER_NAME}
<input type="hidden" name="link" value="${link}">
<label>Password<input type="password" name="password" autocomplete="new-password" minlength="${PASSWORD_MIN_CHARS}" required autofocus></label>
<label>Password, once more<input type="password" name="password_again" autocomplete="new-password" required></label>
<button class="main wide">Set up</button></form>
<p class="note">At least ${PASSWORD_MIN_CHARS} characters; a few words you remember will do. Afterwards you can add a passkey.</p>`
}

/** The one button of a sign-in link: opening a link alone does nothing, since programs open links too. */
export function linkForm(
  form_token: string,
  link: string,
  visit: { user_code: string | undefined; place: string | undefined },
): Html {
  const { user_code = '', place = '' } = visit
  return html`<form class="card" method="post" action="/owner/link">${tokenField(form_token)}
<input type="hidden" name="link" value="${link}"><input type="hidden" name="user_code" value="${user_code}"><input type="hidden" name="place" value="${place}"><button class="main wide">Sign in as the owner</button></form>
<p class="note">The link works once. If you did not ask for it, close this page.</p>`
}

/** Typing the code that a program shows. */
export function codeForm(typed: string): Html {
  return html`<form class="card" method="get" action="/device">
<label>Code<input class="code" name="user_code" value="${typed}" autocomplete="off" spellcheck="false" maxlength="11" placeholder="XXXX-XXXX" required autofocus></label>
<button class="main wide">Continue</button></form>
<p class="note">A program without a browser shows the code while it waits, such as <code>knowtation owner agent login</code>. Type only the code of a program that you have just started: never one that somebody has sent to you.</p>`
}

type Waiting = Pick<DeviceGrant, 'client_id' | 'client_name' | 'expires_at'> & { user_code: string }

/** The owner's decision about a program. */
export function decisionForms(form_token: string, waiting: Waiting): Html {
  const { user_code, client_id, client_name, expires_at } = waiting
  const decide = (action: string, label: string, kind: string) =>
    buttonForm({ action, form_token, label, kind }, { user_code })
  return html`<div class="card">
<p class="usercode">${user_code}</p>
<dl><dt>Calls itself</dt><dd><b>${client_name}</b></dd><dt>Client</dt><dd><code>${client_id}</code></dd>
<dt>Waits until</dt><dd>${shownTime(expires_at)}</dd></dl>
<p>It will be able to see and manage your connections over REST, in your name, for 90 days or until you revoke it. It will <b>not</b> be able to use MCP, read flows, change your password or approve other agents.</p>
<div class="row">${decide('/device/approve', 'Approve', 'main')}${decide('/device/deny', 'Deny', 'bad')}</div></div>
<p class="note">Approve only if the agent shows this very code, and you started it yourself. A name proves nothing: programs choose their own.</p>`
}

/** A moment, as it is told everywhere here. */
export function shownTime(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`
}
