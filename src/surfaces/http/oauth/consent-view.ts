import { approvalWords } from '../../../domains/flows/allowlist.ts'
import { budgetWords } from '../../../domains/flows/grants/grant-budgets.ts'
import type { GrantTerms } from '../../../domains/flows/grants/grant-terms.ts'
import { counted } from '../../../platform/basics/printable.ts'
import { ROLES, type Role } from '../../../platform/identity/caller.ts'
import type { ConsentWish } from '../../../platform/identity/mcp/consent-wish.ts'
import type { AllowedTool } from '../../../platform/policy/vault-policy.ts'
import { vaultField, vaultForm } from '../owner/owner-vault.ts'
import { TOOL_PREFIX } from '../owner/views/external-agent-forms.ts'
import type { ShownGate } from '../owner/views/gate-view.ts'
import { type Html, html } from '../owner/views/html.ts'
import { cutWord, shortWord, word } from '../owner/views/quoted-words.ts'
import { buttonForm, shownTime, tokenField } from '../owner/views/sign-in-view.ts'
import { isLoopbackRedirect } from './check-request.ts'
import type { Waiting } from './waiting-requests.ts'

/** All that the page of a consent shows. */
export interface ConsentVisit {
  readonly waiting: Waiting
  readonly vault: string
  readonly form_token: string
  /** Whether external agents have access in this vault, and why: without it there is no grant to give. */
  readonly gate: ShownGate
  readonly flows: readonly { readonly flow_id: string; readonly version: string; readonly title: string }[]
  readonly chosen:
    | {
        readonly flow_id: string
        readonly version: string
        readonly title: string
        readonly tools: readonly string[]
        readonly described: readonly AllowedTool[]
        /** One value over what the policy says of these tools. */
        readonly shown: string
      }
    | undefined
  readonly terms: GrantTerms
  /** What the policy bounds each grant's calls by, in words. */
  readonly bounds: string
  readonly toolsOf: (role: Role) => readonly string[]
  readonly label: string
  /** What the owner asked for at the command line: it comes ticked, and nothing more. */
  readonly wish: ConsentWish | undefined
}

const WORD_CHARS = 100
const TITLE_CHARS = 60
const TOOLS_OFFERED = 40
const LIFETIMES = [900, 3_600] as const
const STANDING = [
  [0, 'not at all: its first token is the only one'],
  [86_400, 'for a day'],
  [7 * 86_400, 'for a week'],
  [30 * 86_400, 'for 30 days'],
] as const

/** Who asks, what could be allowed, and what each choice means. */
export function consentView(visit: ConsentVisit): Html {
  const { waiting, form_token } = visit
  const deny = { action: `${waiting.path}/deny`, form_token, label: 'Deny', kind: 'bad' }
  const code = waiting.user_code === undefined ? {} : { user_code: waiting.user_code }
  return html`${askingPart(waiting)}${wishPart(visit)}${grantPart(visit)}${memberPart(visit)}
<section><h2>Or nothing</h2><p>The program is told that you said no.</p>${buttonForm(deny, code)}</section>`
}

function askingPart({ client_name, address, redirect_uri, user_code }: Waiting): Html {
  return html`<section><h2>Who asks</h2><dl><dt>Calls itself</dt><dd><b>${shortWord(client_name, WORD_CHARS)}</b></dd>
<dt>Its answer goes to</dt><dd><code>${shortWord(address, WORD_CHARS)}</code></dd>
${redirect_uri !== undefined && html`<dt>That is</dt><dd>${whoseAddress(redirect_uri)}</dd><dt>In full</dt><dd><code>${shortWord(redirect_uri, 2 * WORD_CHARS)}</code></dd>`}
${user_code !== undefined && html`<dt>Code</dt><dd><code>${user_code}</code></dd>`}</dl>
<p class="note">Names prove nothing: programs choose their own. Go on only if you have just told a program of yours to connect. ${
    redirect_uri === undefined
      ? 'Once you have decided, it goes on by itself.'
      : 'Once you have decided, your browser takes the answer there.'
  }</p></section>`
}

function wishPart({ wish, chosen }: ConsentVisit): Html | false {
  if (!wish) return false
  const what = wish.role ?? wish.flow_id
  const missing = wish.tools?.filter(
    (tool) => chosen?.flow_id === wish.flow_id && !chosen?.tools.includes(tool),
  )
  return html`<section><h2>Ticked for you</h2><p>At ${shownTime(wish.asked_at)} somebody asked for this at the command line, by <code>knowtation connect ${wish.client}</code>: <b>${what ?? ''}</b>${wish.tools && html` with ${wish.tools.map((tool, at) => html`${at > 0 && ', '}${word(tool)}`)}`}. If that was not you, or another program asks above, deny it.</p>${missing !== undefined && missing.length > 0 && html`<p class="note">Not offered, so not ticked: ${missing.join(', ')}.</p>`}</section>`
}

/** Who gets the answer, for a person who reads no addresses. */
function whoseAddress(redirect_uri: string): string {
  if (isLoopbackRedirect(redirect_uri)) return 'a program on the machine of this browser'
  return redirect_uri.startsWith('https:')
    ? 'a server elsewhere, which then holds what you allow: go on only if you know its name and use it'
    : 'the program that this machine opens such addresses with'
}

function grantPart(visit: ConsentVisit): Html {
  const lead = html`<h2>One flow and some of its tools</h2>`
  const other = html`<details><summary>A flow of another vault</summary>${vaultForm(visit.waiting.path, visit.vault, codeField(visit.waiting))}</details>`
  if (!visit.gate.open)
    return html`<section>${lead}<p class="empty">Access for external agents is off in the vault ${visit.vault}, so there is no flow to allow. ${visit.gate.because}</p>${other}</section>`
  return html`<section>${lead}<p>The program sees this flow and the tools you tick, and nothing else of the hub.</p>${chooseForm(visit)}${grantForm(visit)}${other}</section>`
}

function chooseForm({ waiting, vault, flows, chosen }: ConsentVisit): Html {
  if (flows.length === 0) return html`<p class="empty">There is no flow in this vault.</p>`
  const options = flows.map(
    ({ flow_id, version, title }) =>
      html`<option value="${flow_id}"${flow_id === chosen?.flow_id && html` selected`}>${flow_id} ${version}: ${cutWord(title, TITLE_CHARS)}</option>`,
  )
  return html`<form class="row" method="get" action="${waiting.path}">${codeField(waiting)}${vaultField(vault)}<label>Flow<select name="flow">${options}</select></label><button>Choose</button></form>`
}

function grantForm(visit: ConsentVisit): Html | false {
  const { chosen, terms, bounds, vault } = visit
  if (!chosen) return false
  const { flow_id, version, described, shown } = chosen
  if (described.length === 0)
    return html`<p class="empty"><b>${flow_id} ${version}</b> declares no tool that the policy of the vault ${vault} allows. Choose another flow, or list its tools in the policy and reload this page.</p>`
  const wish = visit.wish?.flow_id === flow_id ? visit.wish : undefined
  const boxes = described
    .slice(0, TOOLS_OFFERED)
    .map((tool, at) => toolBox(tool, at, wish?.tools?.includes(tool.id) === true))
  const wished = wish?.ttl_seconds && Math.min(wish.ttl_seconds, terms.max_ttl_seconds)
  const shortest = lifetimesOf(terms, wished)
  const most = terms.max_invocations === 0 ? 'no limit' : `at most ${terms.max_invocations}`
  return html`<form class="mint" method="post" action="${visit.waiting.path}/allow">${hiddenFields(visit)}${vaultField(vault)}
<input type="hidden" name="flow_id" value="${flow_id}"><input type="hidden" name="flow_version" value="${version}"><input type="hidden" name="shown" value="${shown}">
<fieldset><legend>Tools of ${flow_id} ${version}</legend>${boxes}</fieldset>${bounds !== '' && html`<p class="note">The policy bounds each grant: at most ${bounds}.</p>`}
<div class="row"><label>Each grant lives<select name="ttl_seconds">${shortest.map((seconds) => html`<option value="${seconds}"${seconds === wished && html` selected`}>${counted(Math.ceil(seconds / 60), 'minute')}</option>`)}</select></label>
<label>Uses in that time <span class="optional">${most}</span><input name="max_invocations" inputmode="numeric" pattern="[0-9]*" maxlength="9" value="${terms.max_invocations || 100}"></label>${STANDING_FIELD}</div>
${BOUNDS_PART}${labelField(visit)}<p class="note">It is pinned to version ${version}. A newer version, a change of a ticked tool in the policy, or your revoke ends it. Its uses within these limits ask you nothing more, but for the tools that say so.</p>
<button class="main">Allow this flow</button></form>`
}

/** What the program may send along, by the names in the policy. */
function takenBy({ input_schema }: AllowedTool): string {
  const names = Object.keys((input_schema?.properties as object | undefined) ?? {})
  return names.length > 0 ? `takes ${cutWord(names.join(', '), WORD_CHARS)}` : 'takes what the program sends'
}

function lifetimesOf({ max_ttl_seconds }: GrantTerms, wished: number | undefined): number[] {
  const offered = LIFETIMES.filter((seconds) => seconds <= max_ttl_seconds)
  const usual = offered.length > 0 ? offered : [max_ttl_seconds]
  return [...new Set([...usual, ...(wished === undefined ? [] : [wished])])].toSorted((a, b) => a - b)
}

function toolBox(tool: AllowedTool, at: number, isTicked: boolean): Html {
  const { id, description, provider } = tool
  const reached = provider ? `reached by ${provider.kind}` : 'nothing stands behind it'
  const bounds = budgetWords(tool)
  const asks = approvalWords(tool)
  return html`<label class="box"><input type="checkbox" name="${TOOL_PREFIX}${at}" value="${id}"${isTicked && html` checked`}><span>${word(id)}<small>${description !== undefined && html`${shortWord(description, WORD_CHARS)} · `}${takenBy(tool)} · ${reached}${bounds !== '' && ` · at most ${bounds}, by all together`}${asks !== '' && html` · <b>${asks}</b>`}</small></span></label>`
}

/** What a role comes to, in a line. */
const ROLE_WORDS: Readonly<Record<Role, string>> = {
  viewer: 'Reads. Whatever would change something is refused.',
  editor: 'Reads, proposes flows, mints grants, carries runs out. Approves nothing.',
  evaluator: 'Reads, judges proposals, and reviews steps of runs.',
  admin: 'All of that, and decides about proposals. For programs that you trust as yourself.',
}

function memberPart(visit: ConsentVisit): Html {
  const roles = ROLES.map((role) => {
    const tools = visit.toolsOf(role)
    return html`<label class="box"><input type="radio" name="role" value="${role}"${role === (visit.wish?.role ?? ROLES[0]) && html` checked`}><span>${role}<small>${ROLE_WORDS[role]}</small></span></label>
<details><summary>${counted(tools.length, 'tool')} for ${role}</summary><p class="soft">${tools.join(', ')}</p></details>`
  })
  return html`<section><h2>A member of the vault</h2><p>The program may do at MCP what a member with this role may.</p>
<form class="mint" method="post" action="${visit.waiting.path}/allow">${hiddenFields(visit)}
<fieldset><legend>Role</legend>${roles}</fieldset>
<div class="row"><label>Vault<input name="vault" value="${visit.vault}" maxlength="64" pattern="[a-z0-9][a-z0-9_\\-]*" required></label>${STANDING_FIELD}</div>
${labelField(visit)}<button class="main">Allow as a member</button></form></section>`
}

/** What the owner may bound the calls by, beside the policy. */
export const BOUND_FIELDS = [
  ['calls_per_minute', 'Calls a minute'],
  ['max_payload_bytes', 'Bytes sent in a call'],
  ['max_result_bytes', 'Bytes answered in a call'],
] as const

const BOUNDS_PART = html`<details><summary>Bound its calls more tightly than the policy</summary><div class="row">${BOUND_FIELDS.map(
  ([name, label]) =>
    html`<label>${label} <span class="optional">empty: the policy’s</span><input name="${name}" inputmode="numeric" pattern="[0-9]*" maxlength="9"></label>`,
)}</div></details>`

/** How long the program may renew by itself. */
const STANDING_FIELD = html`<label>It may renew<select name="standing_seconds">${STANDING.map(
  ([seconds, name]) =>
    html`<option value="${seconds}"${seconds === 86_400 && html` selected`}>${name}</option>`,
)}</select></label>`

function labelField({ label }: ConsentVisit): Html {
  return html`<div class="row"><label>Your name for it<input name="label" value="${label}" maxlength="64" autocomplete="off" required></label></div>`
}

function hiddenFields({ form_token, waiting }: ConsentVisit): Html {
  return html`${tokenField(form_token)}${codeField(waiting)}`
}

function codeField({ user_code }: Waiting): Html | false {
  return user_code !== undefined && html`<input type="hidden" name="user_code" value="${user_code}">`
}
