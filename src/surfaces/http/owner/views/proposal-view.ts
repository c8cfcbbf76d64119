import { declaredTools } from '../../../../domains/flows/allowlist.ts'
import type { ProposalReview } from '../../../../domains/flows/authoring/proposal-record.ts'
import type { FlowBundle, FlowStep } from '../../../../domains/flows/bundle/flow-record.ts'
import { printable } from '../../../../platform/basics/printable.ts'
import { addressIn, vaultForm } from '../owner-vault.ts'
import type { ShownGate } from './gate-view.ts'
import { type Html, html } from './html.ts'
import { decisionPart } from './proposal-forms.ts'
import { shortWord, word, words } from './quoted-words.ts'
import { shownTime } from './sign-in-view.ts'

export const PROPOSALS_PATH = '/owner/proposals'
const INTENT_CHARS = 160

/** All that the page of one proposal shows. */
export interface ProposalVisit extends FlowBundle {
  readonly form_token: string
  readonly vault: string
  readonly proposal: ProposalReview
  readonly diff: { readonly text: string; readonly truncated: boolean }
  /** The flow's newest version, if there is one, and whether the proposal builds on just that. */
  readonly newest: string | undefined
  readonly is_current: boolean
  readonly gate: ShownGate
  /** What whoever looks at it may do. */
  readonly may: { readonly approve: boolean; readonly discard: boolean; readonly evaluate: boolean }
  isAllowed(tool: string): boolean
}

const STATES = [
  ['proposed', 'Open'],
  ['approved', 'Approved'],
  ['discarded', 'Discarded'],
] as const

/** The proposals in one state, newest first. */
export function proposalsView(list: {
  vault: string
  status: string
  proposals: readonly ProposalReview[]
  next_cursor: string | null
}): Html {
  const { vault, status, proposals, next_cursor } = list
  const rows = proposals.map((one) => {
    const { proposal_id, flow_id, flow_version, kind, scope, created_at, evaluation_status } = one
    const judged = evaluation_status === 'none' ? '' : ` · evaluation: ${evaluation_status.replace('_', ' ')}`
    return html`<li><div><b><a href="${addressIn(`${PROPOSALS_PATH}/${proposal_id}`, vault)}">${flow_id} ${flow_version}</a></b><span>${kind} · ${scope} · ${shownTime(created_at)}${judged}</span><span class="claim">Says: ${shortWord(one.intent, INTENT_CHARS)}</span></div></li>`
  })
  const states = STATES.map(([state, name]) => {
    const mark = state === status && html` aria-current="true"`
    return html`<a href="${addressIn(PROPOSALS_PATH, vault, state === 'proposed' ? {} : { status: state })}"${mark}>${name}</a>`
  })
  const more =
    next_cursor !== null &&
    html`<p class="note"><a href="${addressIn(PROPOSALS_PATH, vault, { status, cursor: next_cursor })}">More</a></p>`
  const shown =
    rows.length > 0
      ? html`<section><h2>Vault ${vault}</h2><p>Open one to see what it would change.</p><ul class="list">${rows}</ul></section>`
      : html`<p class="empty">There is none here, in the vault ${vault}.</p>`
  return html`<p class="states">${states}</p>${shown}${more}${vaultForm(PROPOSALS_PATH, vault)}`
}

/** One proposal, in the order in which it is judged: whose it is, what it says, what it does; then the decision. */
export function proposalView(visit: ProposalVisit): Html {
  const isOpen = visit.proposal.status === 'proposed'
  return html`${isOpen && html`<p class="plain"><a href="#decide">Go to the decision</a></p>`}${aboutPart(visit)}${claimPart(visit)}${toolsPart(visit)}${diffPart(visit)}${stepsPart(visit)}${decisionPart(visit)}
<p class="plain"><a href="${addressIn(PROPOSALS_PATH, visit.vault)}">All open proposals</a></p>`
}

function aboutPart(visit: ProposalVisit): Html {
  const { proposal, flow, vault } = visit
  const { kind, flow_id, flow_version, scope, status, created_by, created_at, proposal_id } = proposal
  const { decided_by, decided_at, waiver_reason } = proposal
  const decided =
    decided_at !== null &&
    html`<dt>Decided</dt><dd>${status} by <code>${decided_by ?? ''}</code>, ${shownTime(decided_at)}</dd>${waiver_reason !== null && html`<dt>Waiver</dt><dd>${words(waiver_reason)}</dd>`}`
  return html`<section><h2>What it is</h2><p>${KINDS[kind]}</p>
<dl><dt>Flow</dt><dd><code>${flow_id}</code> ${flow_version}</dd><dt>Title</dt><dd>${word(flow.title)}</dd>
<dt>Scope</dt><dd>${scope}</dd><dt>Builds on</dt><dd>${baseText(visit)}</dd>
<dt>Proposed by</dt><dd><code>${created_by}</code>, ${shownTime(created_at)}</dd>
<dt>Proposal</dt><dd><code>${proposal_id}</code></dd><dt>Vault</dt><dd>${vault}</dd>${evaluationOf(proposal)}${decided}</dl></section>`
}

const KINDS = {
  new: 'A new flow.',
  edit: 'A new version of a flow.',
  import: 'A flow that comes from elsewhere.',
} as const

function baseText({ proposal, newest, is_current }: ProposalVisit): string {
  const base = proposal.base_version === null ? 'nothing' : proposal.base_version
  if (proposal.status !== 'proposed') return base
  if (is_current)
    return newest === undefined ? 'nothing: it is the first version' : `${base}, the newest version`
  return newest === undefined
    ? `${base}, which is not there any more`
    : `${base}, but the flow is at ${newest} by now: it can no longer be approved`
}

function evaluationOf(proposal: ProposalReview): Html {
  const { evaluation_status, evaluation_comment, evaluated_by, evaluated_at } = proposal
  if (evaluation_status === 'none') return html`<dt>Evaluation</dt><dd>none</dd>`
  const by = evaluated_at !== null && html` by <code>${evaluated_by ?? ''}</code>, ${shownTime(evaluated_at)}`
  return html`<dt>Evaluation</dt><dd>${evaluation_status.replace('_', ' ')}${by}${evaluation_comment !== null && words(evaluation_comment)}</dd>`
}

function claimPart({ proposal, flow }: ProposalVisit): Html {
  const { external_ref, source_vault_hint } = proposal
  return html`<section><h2>What the proposer says</h2><p>The words of whoever proposed it. Nobody has checked them: what it really does is below.</p>
<h3>Intent</h3>${words(proposal.intent)}<h3>Summary of the flow</h3>${words(flow.summary)}
${external_ref !== null && html`<h3>Reference</h3>${words(external_ref)}`}${source_vault_hint !== null && html`<h3>Said to come from the vault</h3>${words(source_vault_hint)}`}</section>`
}

function toolsPart({ steps, isAllowed }: ProposalVisit): Html {
  const rows = declaredTools(steps).map(
    (tool) =>
      html`<li><div><b>${word(tool)}</b><span>${isAllowed(tool) ? 'on the allowlist of this vault' : 'not on the allowlist of this vault: no grant can include it'}</span></div></li>`,
  )
  return html`<section><h2>External tools</h2><p>What the steps declare that they use outside the hub. Approving grants none of it.</p>
${rows.length > 0 ? html`<ul class="list">${rows}</ul>` : html`<p class="empty">None.</p>`}</section>`
}

function diffPart({ diff, proposal }: ProposalVisit): Html {
  const lines = printable(diff.text.replace(/\n$/, ''))
    .split('\n')
    .map((line, at) => html`<span class="${kindOfLine(line, at)}">${line}\n</span>`)
  const against =
    proposal.base_version === null ? 'All of it is new.' : `Against version ${proposal.base_version}.`
  return html`<section><h2>What it changes</h2><p>${against} Lines with + come, lines with - go.</p><pre class="diff">${lines}</pre>
${diff.truncated && html`<p class="note">The comparison was cut off. The steps below are whole.</p>`}</section>`
}

const LINE_KINDS: Readonly<Record<string, string>> = { '+': 'come', '-': 'go', '@': 'at' }

/** The first two lines name what is compared. */
function kindOfLine(line: string, at: number): string {
  return at < 2 ? 'at' : (LINE_KINDS[line[0] ?? ''] ?? '')
}

function stepsPart({ flow, steps }: ProposalVisit): Html {
  const inputs = flow.inputs.map(
    ({ name, type, required }) => `${name} (${type}${required ? '' : ', optional'})`,
  )
  const about = [
    ['Tags', flow.tags.join(', ')],
    ['Inputs', inputs.join(', ')],
    ['Mirror note', flow.vault_mirror_path ?? ''],
  ] as const
  return html`<section><h2>The flow as it would be</h2><p>Every step in full, as agents would get it. These are the proposer's words too.</p>
${pairs(about)}${steps.map(stepPart)}</section>`
}

function stepPart(step: FlowStep): Html {
  const { verification, requires, skill_refs, inputs, outputs } = step
  const facts = [
    ['When', step.trigger],
    ['When not', step.when_not_to_run],
    ['Boundaries', step.boundaries.join('\n')],
    ['Needs', refsText(requires)],
    ['Skills', refsText(skill_refs)],
    ['Takes', inputs.map(({ name, from }) => `${name} from ${from}`).join('\n')],
    ['Gives', outputs.map(({ name, type }) => `${name} (${type})`).join('\n')],
    ['Shape', step.output_shape],
    [
      'Verified by',
      `${verification.kind}${verification.evidence_required ? ', with evidence' : ''}: ${verification.description}`,
    ],
    ['Automatable', step.automatable],
  ] as const
  return html`<article><h3>${step.ordinal}. ${word(step.owned_job)}</h3><span class="soft">${step.step_id}</span>${words(step.instruction)}${pairs(facts)}</article>`
}

function refsText(refs: readonly { kind: string; id: string }[]): string {
  return refs.map(({ kind, id }) => `${kind}: ${id}`).join('\n')
}

/** What says nothing is left out. */
function pairs(facts: readonly (readonly [string, string])[]): Html {
  const said = facts.filter(([, text]) => text !== '')
  return html`${said.length > 0 && html`<dl>${said.map(([name, text]) => html`<dt>${name}</dt><dd class="said" dir="auto">${printable(text)}</dd>`)}</dl>`}`
}
