import type { Lock } from '../../../../platform/locks/lock.ts'
import { type Html, html } from './html.ts'
import { buttonForm, shownTime, tokenField } from './sign-in-view.ts'

/** What is locked, and the forms that lock more. */
export function locksView(form_token: string, locks: readonly Lock[], next_cursor: string | null): Html {
  const isAllLocked = locks.some(({ kind }) => kind === 'all')
  return html`${lockedPart(form_token, locks, next_cursor)}${!isAllLocked && everythingPart(form_token)}${targetPart(form_token, AGENT)}${targetPart(form_token, SERVICE)}`
}

function lockedPart(form_token: string, locks: readonly Lock[], next_cursor: string | null): Html {
  const rows = locks.map((lock) => lockRow(form_token, lock))
  const list =
    rows.length > 0 ? html`<ul class="list">${rows}</ul>` : html`<p class="empty">Nothing is locked.</p>`
  const more = next_cursor !== null && html`<p class="plain"><a href="?cursor=${next_cursor}">More</a></p>`
  return html`<section><h2>Locked now</h2>${list}${more}</section>`
}

function lockRow(form_token: string, { kind, id, reason, locked_at, locked_by }: Lock): Html {
  const name = kind === 'all' ? 'Everything' : `${kind === 'agent' ? 'Agent' : 'Service'} ${id}`
  const told = [`since ${shownTime(locked_at)}`, placeOf(locked_by), ...(reason === null ? [] : [reason])]
  const unlock = {
    action: '/owner/locks/release',
    form_token,
    label: 'Unlock',
    kind: 'small',
    about: name,
  }
  const target: Record<string, string> = kind === 'all' ? { kind } : { kind, id }
  return html`<li><div><b>${name}</b><span>${told.join(' · ')}</span></div>${buttonForm(unlock, target)}</li>`
}

/** Only the owner locks; what differs is where they did. */
function placeOf(locked_by: string): string {
  if (locked_by.startsWith('owner_session:')) return 'in a browser'
  return 'on the command line'
}

/** Two steps: it stops everybody, also those who do nothing wrong. */
function everythingPart(form_token: string): Html {
  return html`<section><h2>Lock everything</h2><p>The emergency stop: no agent, token or grant gets anything done from the next call on, until you unlock.</p>
<details class="stop"><summary>Lock everything …</summary><form method="post" action="/owner/locks/add">${tokenField(form_token)}<input type="hidden" name="kind" value="all">
${reasonField()}<button class="bad">Yes, lock everything</button></form></details></section>`
}

interface Target {
  readonly kind: string
  readonly about: string
  readonly label: string
  readonly example: string
}

const AGENT: Target = {
  kind: 'agent',
  about: 'Stops one program, whatever it calls.',
  label: 'Which agent',
  example: 'Its agent id, or the id of its token, session or grant.',
}

const SERVICE: Target = {
  kind: 'service',
  about: 'Stops every agent of the toolbox that works in a folder.',
  label: 'Which folder',
  example: 'An absolute folder with all below it, or the end of a path, such as services/shop.',
}

function targetPart(form_token: string, { kind, about, label, example }: Target): Html {
  const name = `${kind === 'agent' ? 'an' : 'a'} ${kind}`
  return html`<section><h2>Lock ${name}</h2><p>${about}</p>
<form method="post" action="/owner/locks/add">${tokenField(form_token)}<input type="hidden" name="kind" value="${kind}">
<label>${label}<input name="id" maxlength="512" autocomplete="off" autocapitalize="none" spellcheck="false" required><small>${example}</small></label>
${reasonField()}<button>Lock the ${kind}</button></form></section>`
}

function reasonField(): Html {
  return html`<label>Reason <i class="optional">optional</i><input name="reason" maxlength="200" autocomplete="off"></label>`
}
