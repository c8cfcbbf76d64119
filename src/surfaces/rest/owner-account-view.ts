import type { OwnerAgent } from '../../platform/identity/owner-agents.ts'
import type { OwnerPasskey } from '../../platform/identity/owner-passkeys.ts'
import { PASSWORD_MIN_CHARS } from '../../platform/identity/owner-password.ts'
import type { OwnerSession } from '../../platform/identity/owner-sessions.ts'
import { type Html, html } from './owner-html.ts'
import { buttonForm, OWNER_NAME, shownTime, tokenField } from './owner-views.ts'

/** All that the owner's account page shows. */
export interface Account {
  readonly form_token: string
  readonly agents: readonly (OwnerAgent & { state: string })[]
  readonly passkeys: readonly OwnerPasskey[]
  readonly sessions: readonly (OwnerSession & { current: boolean })[]
  /** Where passkeys can be added: under a name, not a number. */
  readonly passkey_host: string | undefined
  /** Whether the former password must be typed to choose another. */
  readonly needs_current: boolean
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

function passkeysPart({ passkeys, form_token, passkey_host }: Account): Html {
  const rows = passkeys.map(({ passkey_id, label, created_at, last_used_at }) => {
    const remove = {
      action: '/owner/passkey/remove',
      form_token,
      label: 'Remove',
      kind: 'bad small',
      about: label,
    }
    const used = last_used_at ? `last used ${shownTime(last_used_at)}` : 'never used'
    return html`<li><div><b>${label}</b><span>added ${shownTime(created_at)} · ${used}</span></div>${buttonForm(remove, { passkey_id })}</li>`
  })
  const add =
    passkey_host === undefined
      ? html`<form data-passkey="register" data-then="/owner?told=passkey" hidden><div class="row">${tokenField(form_token)}
<label>Name of a new passkey<input name="label" value="This device" maxlength="64" required></label>
<button>Add a passkey</button></div><p class="fault" role="alert" hidden></p></form>`
      : html`<p class="note">Passkeys are bound to a name. Open <a href="http://${passkey_host}/owner">http://${passkey_host}/owner</a> to add one.</p>`
  return html`<section><h2>Passkeys</h2><p>Sign in with your fingerprint, face or security key instead of the password.</p>
${listOf(rows, 'There is none yet.')}${add}</section>`
}

function passwordPart({ form_token, needs_current }: Account): Html {
  return html`<section><h2>Password</h2><p>A new password signs out every other browser.</p>
<form method="post" action="/owner/password">${tokenField(form_token)}${OWNER_NAME}
${needs_current && html`<label>Current password<input type="password" name="current" autocomplete="current-password" required></label>`}
<label>New password<input type="password" name="password" autocomplete="new-password" minlength="${PASSWORD_MIN_CHARS}" required><small>At least ${PASSWORD_MIN_CHARS} characters.</small></label>
<button>Change the password</button></form></section>`
}

function sessionsPart({ sessions, form_token }: Account): Html {
  const rows = sessions.map(({ method, client, created_at, last_seen_at, current }) => {
    const when = `since ${shownTime(created_at)} · seen ${shownTime(last_seen_at)}`
    return html`<li><div><b>${current ? 'This browser' : client}</b><span>signed in by ${method.replace('_', ' ')} · ${when}</span></div></li>`
  })
  return html`<section><h2>Sessions</h2><p>Where you are signed in. A session ends after 8 hours without use, and after 7 days in any case.</p>
${listOf(rows, 'There is none.')}
<div class="row">${buttonForm({ action: '/owner/sign-out', form_token, label: 'Sign out' })}${buttonForm({ action: '/owner/sign-out-everywhere', form_token, label: 'Sign out everywhere', kind: 'bad' })}</div></section>`
}
