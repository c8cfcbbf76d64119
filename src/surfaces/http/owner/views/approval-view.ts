import { addressIn, vaultField, vaultForm } from '../owner-vault.ts'
import { type Html, html } from './html.ts'
import { word, words } from './quoted-words.ts'
import { shownTime, tokenField } from './sign-in-view.ts'

export const APPROVALS_PATH = '/owner/approvals'

/** A request as the pages show it. */
export interface ShownApproval {
  readonly approval_id: string
  readonly state: string
  readonly tool_id: string
  readonly mode: 'each_call' | 'first_call'
  readonly client: string
  readonly caller_kind: string
  readonly caller_id: string
  readonly grant_id: string
  readonly flow_id: string
  readonly flow_version: string
  readonly policy_revision: string
  readonly digest: string
  readonly created_at: string
  readonly expires_at: string
  readonly decided_at: string | null
  readonly decided_by: string | null
  readonly decided_for: string | null
  readonly reason: string | null
  readonly arguments?: Readonly<Record<string, unknown>> | null
}

interface Visit {
  readonly approval: ShownApproval
  readonly vault: string
  readonly form_token: string
  readonly now: Date
}

/** What waits, and what has ended, newest first. */
export function approvalsView(vault: string, approvals: readonly ShownApproval[]): Html {
  const isOpen = ({ state }: ShownApproval) => state === 'waiting'
  const list = (title: string, rows: readonly ShownApproval[], none: string) =>
    html`<section><h2>${title}</h2>${rows.length > 0 ? html`<ul class="list">${rows.map((one) => rowOf(vault, one))}</ul>` : html`<p class="empty">${none}</p>`}</section>`
  const over = approvals.filter((one) => !isOpen(one))
  return html`${list('Waiting', approvals.filter(isOpen), 'Nothing waits.')}${over.length > 0 && list('Over', over, '')}${vaultForm(APPROVALS_PATH, vault)}`
}

function rowOf(vault: string, one: ShownApproval): Html {
  const { approval_id, tool_id, client, state, created_at, expires_at } = one
  const until = state === 'waiting' ? html` · until ${shownTime(expires_at)}` : html` · ${stateWords(state)}`
  return html`<li><div><b><a href="${addressIn(`${APPROVALS_PATH}/${approval_id}`, vault)}">${word(tool_id)}</a></b><span>${client} · asked ${shownTime(created_at)}${until}</span></div></li>`
}

/** How it stands with a request. */
export function stateWords(state: string): string {
  return WORDS[state] ?? state
}

const WORDS: Readonly<Record<string, string>> = {
  waiting: 'held, and waits for you; nothing was sent',
  approved: 'approved, not begun yet',
  executing: 'approved and under way',
  executed: 'approved and carried out',
  failed: 'approved; the tool refused it',
  unknown: 'approved and begun; how it ended is not known, and it is not repeated',
  denied: 'refused, nothing was sent',
  expired: 'over by time, nothing was sent',
}

/** One call: who wants what; all that would be sent; and then the word. */
export function approvalView(visit: Visit): Html {
  const { approval, vault } = visit
  return html`${approval.state === 'waiting' ? decidePart(visit) : endPart(approval)}${argumentsPart(approval)}${aboutPart(approval)}
<p class="plain"><a href="${addressIn(APPROVALS_PATH, vault)}">All calls that ask first</a></p>`
}

function argumentsPart({ arguments: given, tool_id, state }: ShownApproval): Html {
  if (!given)
    return html`<section><h2>Sent to ${word(tool_id)}</h2><p class="empty">The arguments were erased when it was decided. Their digest stays.</p></section>`
  const rows = Object.entries(given).map(
    ([name, value]) =>
      html`<dt>${word(name)}</dt><dd>${words(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}</dd>`,
  )
  return html`<section id="arguments"><h2>Sent to ${word(tool_id)}, complete</h2><p>The words of whoever calls. Signs that show nothing are spelled out.${state === 'waiting' && html` Nothing else is sent.`}</p>
${rows.length > 0 ? html`<dl class="stack">${rows}</dl>` : html`<p class="empty">No arguments.</p>`}</section>`
}

function aboutPart(one: ShownApproval): Html {
  return html`<section><h2>Whose call it is</h2><dl><dt>Tool</dt><dd>${word(one.tool_id)}: ${MODES[one.mode]}</dd>
<dt>Flow</dt><dd><code>${one.flow_id}</code> ${one.flow_version}</dd><dt>Grant</dt><dd><code>${one.grant_id}</code></dd>
<dt>Caller</dt><dd>${one.client}, ${one.caller_kind} <code>${one.caller_id}</code></dd><dt>Asked</dt><dd>${shownTime(one.created_at)}</dd>
<dt>Policy</dt><dd><code>${one.policy_revision}</code></dd><dt>Digest</dt><dd><code>${one.digest}</code></dd></dl></section>`
}

const MODES = {
  each_call: 'you said "ask each call"',
  first_call:
    'you said "ask at the first call"; later ones with arguments of the same names and kinds go on without you',
} as const

/** What is decided is what was shown: the digest goes with it. */
function decidePart(visit: Visit): Html {
  const { expires_at, mode } = visit.approval
  const left = Math.max(0, Math.ceil((Date.parse(expires_at) - visit.now.getTime()) / 60_000))
  const once = html`<button class="main" name="for" value="call">Allow this one call</button>`
  const grant = html`<p>For an hour, every call of this tool under this grant is carried out without asking, whatever its arguments are.</p><button name="for" value="grant">Allow under this grant for an hour</button>`
  const no = html`<label>Why, for your own record<input name="reason" maxlength="500"></label><button class="bad">Refuse</button>`
  return html`<section id="decide"><h2>Decide</h2><p>Your answer binds to this exact call under this policy. One yes is one execution${mode === 'first_call' && html`, and calls of the same shape after it`}. Without an answer it is refused in ${left} min, and nothing is sent.</p>
<p class="plain"><a href="#arguments">Read what would be sent</a></p>
<div class="acts">${formTo(visit, 'approve', once)}<details><summary>Allow under this grant</summary>${formTo(visit, 'approve', grant)}</details><details><summary>Refuse</summary>${formTo(visit, 'deny', no)}</details></div></section>`
}

function endPart({ state, decided_at, decided_by, decided_for, reason }: ShownApproval): Html {
  const by =
    decided_at !== null &&
    html`<dt>Decided</dt><dd>${shownTime(decided_at)} by <code>${decided_by ?? ''}</code>${decided_for === 'grant' && ', for the grant, for an hour'}</dd>`
  return html`<section id="decide"><h2>${state === 'approved' || state === 'executing' ? 'Approved' : 'Over'}</h2><dl><dt>State</dt><dd>${stateWords(state)}</dd>${by}${reason !== null && html`<dt>Reason</dt><dd>${words(reason)}</dd>`}</dl></section>`
}

function formTo({ approval, vault, form_token }: Visit, decision: string, inside: Html): Html {
  const { approval_id, digest } = approval
  return html`<form method="post" action="${APPROVALS_PATH}/${approval_id}/decision">${tokenField(form_token)}${vaultField(vault)}<input type="hidden" name="decision" value="${decision}"><input type="hidden" name="digest" value="${digest}">${inside}</form>`
}
