import { approvalWords } from '../../../../domains/flows/allowlist.ts'
import { budgetWords } from '../../../../domains/flows/grants/grant-budgets.ts'
import type { Grant } from '../../../../domains/flows/grants/grant-record.ts'
import type { AllowedTool } from '../../../../platform/policy/vault-policy.ts'
import { vaultField, vaultForm } from '../owner-vault.ts'
import { type MintVisit, mintPart, newGrantPart } from './external-agent-forms.ts'
import type { ShownGate } from './gate-view.ts'
import { type Html, html } from './html.ts'
import { word } from './quoted-words.ts'
import { buttonForm, shownTime, tokenField } from './sign-in-view.ts'

export const EXTERNAL_AGENTS_PATH = '/owner/external-agents'

/** All that the page of external agents shows. */
export interface ExternalAgentVisit extends MintVisit {
  readonly gates: { readonly access: ShownGate; readonly hosted: ShownGate }
  readonly damaged: boolean
  readonly tools: readonly AllowedTool[]
  /** The newest grants; undefined where they cannot be listed. */
  readonly grants: readonly Grant[] | undefined
  readonly now: Date
  /** The grant that was minted just now, with its bearer. No other page of it will have that. */
  readonly minted: { readonly grant: Grant; readonly bearer: string } | undefined
}

/** How many grants the page shows. */
export const GRANTS_SHOWN = 100

/** As many allowed tools are shown without being asked for. */
const TOOLS_UNFOLDED = 8

/** Whether anything is open, what could be used, who may use it, and a way to let one more in. */
export function externalAgentView(visit: ExternalAgentVisit): Html {
  const { vault, gates, minted } = visit
  return html`${minted && newGrantPart(minted)}${gatesPart(visit)}${toolsPart(visit)}${grantsPart(visit)}${gates.access.open && mintPart(visit)}
${vaultForm(EXTERNAL_AGENTS_PATH, vault)}`
}

function gatesPart({ gates, damaged, vault }: ExternalAgentVisit): Html {
  const { access, hosted } = gates
  const effect = access.open
    ? 'Whoever holds a grant can read its flow and use its tools, beside a credential of their own.'
    : 'No grant can be minted, and no bearer opens anything.'
  return html`<section><h2>Access is ${access.open ? 'on' : 'off'}</h2><p>${effect} This is the vault ${vault}.</p>
<ul class="list">${gateRow('External agents', access)}${gateRow('Reads under a hosted name', hosted)}</ul>
${damaged && access.open && html`<p class="fault">The vault's policy is damaged: as long as it cannot be read, no tool is allowed. knowtation doctor says what is wrong.</p>`}
<p class="note">These are switched in the hub's environment and in the vault's <code>policy.yaml</code>, not here.</p></section>`
}

function gateRow(name: string, { open, because }: ShownGate): Html {
  return html`<li><div><b>${name}: <i class="${open ? 'on' : 'off'}">${open ? 'on' : 'off'}</i></b><span>${because}</span></div></li>`
}

function toolsPart({ tools }: ExternalAgentVisit): Html {
  const rows = tools.map((tool) => {
    const { id, description, provider } = tool
    const reached = provider
      ? `reached by ${provider.kind}`
      : 'nothing stands behind it: calls are checked and counted'
    const bounds = budgetWords(tool)
    const asks = approvalWords(tool)
    return html`<li><div><b>${word(id)}</b><span>${description !== undefined && html`${word(description)} · `}${reached}${bounds !== '' && ` · at most ${bounds}`}${asks !== '' && html` · <b>${asks}</b>`}</span></div></li>`
  })
  return html`<section><h2>Allowed tools</h2><p>The policy's allowlist: no grant can include another tool.</p>${listOfTools(rows)}</section>`
}

/** A long list is folded, so that the grants below are not far. */
function listOfTools(rows: readonly Html[]): Html {
  if (rows.length === 0) return html`<p class="empty">The policy allows none.</p>`
  const list = html`<ul class="list">${rows}</ul>`
  return rows.length <= TOOLS_UNFOLDED
    ? list
    : html`<details><summary>All ${rows.length} tools</summary>${list}</details>`
}

function grantsPart(visit: ExternalAgentVisit): Html {
  const { grants, vault, form_token } = visit
  if (!grants)
    return html`<section><h2>Grants</h2><p>They are not listed while access is off. A grant can be revoked nonetheless, by its id.</p>
<form class="row" method="post" action="${EXTERNAL_AGENTS_PATH}/revoke">${tokenField(form_token)}${vaultField(vault)}<label>Grant<input name="grant_id" placeholder="fgrnt_…" autocomplete="off" spellcheck="false" required></label><button class="bad">Revoke</button></form></section>`
  const rows = grants.map((grant) => grantRow(visit, grant))
  const cut =
    grants.length === GRANTS_SHOWN &&
    html`<p class="note">These are the newest ${GRANTS_SHOWN}. knowtation flow grant list has all.</p>`
  return html`<section><h2>Grants</h2><p>Who may use what, without the bearers: the hub does not have them.</p>
${rows.length > 0 ? html`<ul class="list offers">${rows}</ul>` : html`<p class="empty">There is none.</p>`}${cut}</section>`
}

function grantRow({ vault, form_token, now }: ExternalAgentVisit, grant: Grant): Html {
  const { grant_id, flow_id, flow_version, scope, allowed_tools, issued_at, expires_at } = grant
  const { invocation_count, max_invocations, revoked_at } = grant
  const limit = max_invocations === 0 ? 'no limit' : `of ${max_invocations}`
  const isOver = revoked_at !== null || Date.parse(expires_at) < now.getTime()
  const end =
    revoked_at === null
      ? `${isOver ? 'expired' : 'expires'} ${shownTime(expires_at)}`
      : `revoked ${shownTime(revoked_at)}`
  const tools = allowed_tools.map((tool, at) => html`${at > 0 && ', '}${word(tool)}`)
  const revoke = {
    action: `${EXTERNAL_AGENTS_PATH}/revoke`,
    form_token,
    label: 'Revoke',
    kind: 'bad small',
    about: grant_id,
  }
  return html`<li><div><b>${flow_id} ${flow_version}</b><span>${tools}</span><span>${scope} · issued ${shownTime(issued_at)} · ${end} · used ${invocation_count} ${limit}</span><span>${grant_id}</span></div>${!isOver && buttonForm(revoke, { grant_id, vault })}</li>`
}
