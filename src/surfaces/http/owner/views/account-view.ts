import type { OwnerAgent } from '../../../../platform/identity/owner-agents.ts'
import type { OwnerPasskey } from '../../../../platform/identity/owner-passkeys.ts'
import { PASSWORD_MIN_CHARS } from '../../../../platform/identity/owner-password.ts'
import type { OwnerSession } from '../../../../platform/identity/owner-sessions.ts'
import { type Html, html } from './html.ts'
import { buttonForm, OWNER_NAME, shownTime, tokenField } from './sign-in-view.ts'

/** All that the owner's account page shows. */
export interface Account {
  readonly form_token: string
  readonly agents: readonly (OwnerAgent & { state: string })[]
  readonly passkeys: readonly OwnerPasskey[]
  readonly sessions: readonly (OwnerSession & { current: boolean })[]
  /** Whether the former password must be typed to choose another. */
  readonly needs_current: boolean
  /** Whether the owner has proven to be the owner a short while ago; else the password is asked for in place. */
  readonly is_recent: boolean
}

/** Agents, passkeys, password and sessions, in that order. */
export function accountView(account: Account): Html {
  return html`${agentsPart(account)}${passkeysPart(account)}${passwordPart(account)}${sessionsPart(account)}`
}

function listOf(items: readonly Html[], otherwise: string): Html {
  return items.length > 0 ? html`<ul class="list">${items}</ul>` : html`<p class="empty">${otherwise}</p>`
}

function agentsPart({ agents, form_token }: Account): Html {
  const rows = agents.map(({ agent_id, client_name, state, expires_at }) => {
    const revoke = {
      action: '/owner/agents/revoke',
      form_token,
      label: 'Revoke',
      kind: 'bad small',
      about: `${client_name} ${agent_id}`,
    }
    const until = state === 'live' ? `until ${shownTime(expires_at)}` : state
    return html`<li><div><b>${client_name}</b><span>${agent_id} · ${until}</span></div>${state === 'live' && buttonForm(revoke, { agent_id })}</li>`
  })
  return html`<section><h2>Agents</h2><p>Programs you let manage your connections in your name.</p>
${listOf(rows, 'No agent has been approved.')}
<p class="plain"><a href="/device">Approve an agent that shows a code</a></p></section>`
}

/** The password, where what proves the owner is about to change and the sign-in was long ago. */
function currentField(is_recent: boolean): Html | false {
  return (
    !is_recent &&
    html`<label>Your password<input type="password" name="current" autocomplete="current-password" required></label>`
  )
}

/** What else may be thrown away by an owner who fears that somebody else has it. */
const ALSO = html`<details><summary>Did somebody else get in?</summary>
<label class="check"><input type="checkbox" name="passkeys" value="yes"> Take all passkeys away</label>
<label class="check"><input type="checkbox" name="agents" value="yes"> Revoke all owner agents</label>
<label class="check"><input type="checkbox" name="tokens" value="yes"> Revoke all tokens and toolbox sessions</label></details>`

function passkeysPart({ passkeys, form_token, is_recent }: Account): Html {
  const rows = passkeys.map(({ passkey_id, label, created_at, last_used_at }) => {
    const remove = {
      action: '/owner/passkey/remove',
      form_token,
      label: 'Remove',
      kind: 'bad small',
      about: label,
    }
    const used = last_used_at ? `last used ${shownTime(last_used_at)}` : 'never used'
    return html`<li><div><b>${label}</b><span>added ${shownTime(created_at)} · ${used}</span></div>${is_recent ? buttonForm(remove, { passkey_id }) : removeForm(remove, passkey_id)}</li>`
  })
  const add = html`<form data-passkey="register" data-then="/owner?told=passkey" hidden><div class="row">${tokenField(form_token)}
<label>Name of a new passkey<input name="label" value="This device" maxlength="64" required></label>${currentField(is_recent)}
<button>Add a passkey</button></div><p class="fault" role="alert" hidden></p></form>`
  return html`<section><h2>Passkeys</h2><p>Sign in with your fingerprint, face or security key instead of the password.</p>
${listOf(rows, 'There is none yet.')}${add}</section>`
}

/** The same with a field for the password. */
function removeForm(
  { action, form_token, label, about }: { action: string; form_token: string; label: string; about: string },
  passkey_id: string,
): Html {
  return html`<form method="post" action="${action}" class="row">${tokenField(form_token)}<input type="hidden" name="passkey_id" value="${passkey_id}">
${currentField(false)}<button class="bad small" aria-label="${label}: ${about}">${label}</button></form>`
}

function passwordPart({ form_token, needs_current }: Account): Html {
  return html`<section><h2>Password</h2><p>A new password signs out every other browser, and ends every sign-in link that is still open.</p>
<form method="post" action="/owner/password">${tokenField(form_token)}${OWNER_NAME}
${needs_current && html`<label>Current password<input type="password" name="current" autocomplete="current-password" required></label>`}
<label>New password<input type="password" name="password" autocomplete="new-password" minlength="${PASSWORD_MIN_CHARS}" required><small>At least ${PASSWORD_MIN_CHARS} characters.</small></label>
${ALSO}<button>Change the password</button></form></section>`
}

function sessionsPart({ sessions, form_token, is_recent }: Account): Html {
  const rows = sessions.map(({ method, client, created_at, last_seen_at, current }) => {
    const when = `since ${shownTime(created_at)} · seen ${shownTime(last_seen_at)}`
    return html`<li><div><b>${current ? 'This browser' : client}</b><span>signed in by ${method.replace('_', ' ')} · ${when}</span></div></li>`
  })
  return html`<section><h2>Sessions</h2><p>Where you are signed in. A session ends after 8 hours without use, and after 7 days in any case.</p>
${listOf(rows, 'There is none.')}
${buttonForm({ action: '/owner/sign-out', form_token, label: 'Sign out' })}
<form method="post" action="/owner/sign-out-everywhere">${tokenField(form_token)}${sessionAlso(is_recent)}<button class="bad">Sign out everywhere</button></form></section>`
}

/** The password is needed for what goes beyond the sessions, so the field may stay empty. */
function sessionAlso(is_recent: boolean): Html {
  return html`${ALSO}${!is_recent && html`<label>Your password, for what is ticked above<input type="password" name="current" autocomplete="current-password"></label>`}`
}
