import { vaultField } from '../owner-vault.ts'
import { type Html, html } from './html.ts'
import type { ProposalVisit } from './proposal-view.ts'
import { tokenField } from './sign-in-view.ts'

/** What can be done with an open proposal by whoever looks at it; or why nothing can. */
export function decisionPart(visit: ProposalVisit): Html {
  const { proposal, gate, may } = visit
  if (proposal.status !== 'proposed')
    return html`<section id="decide"><h2>Decided</h2><p>It was ${proposal.status}. That stays.</p></section>`
  if (!gate.open)
    return html`<section id="decide"><h2>Authoring is off</h2><p>${gate.because} Until it is on, no flow changes and nothing is decided here.</p></section>`
  if (!may.approve && !may.discard && !may.evaluate)
    return html`<section id="decide"><h2>Decide</h2><p>You may read it, not decide it.</p></section>`
  return html`<section id="decide"><h2>Decide</h2><p>Both are for good. An approved version never changes; a discarded proposal never comes back.</p>
<div class="acts">${may.approve && approvePart(visit)}${may.discard && discardPart(visit)}${may.evaluate && evaluatePart(visit)}</div></section>`
}

/** Two steps each: what was decided cannot be taken back. */
function approvePart(visit: ProposalVisit): Html {
  const { proposal, is_current } = visit
  if (!is_current)
    return html`<p class="note">It cannot be approved: the flow has moved on since it was proposed. Discard it, and have the change proposed again on the newest version.</p>`
  const needs_waiver = proposal.evaluation_status !== 'none' && proposal.evaluation_status !== 'passed'
  const waiver =
    needs_waiver &&
    html`<label>Why it is approved without a passed evaluation<textarea name="waiver_reason" rows="3" minlength="3" maxlength="2000" required></textarea></label>`
  const form = formTo(visit, 'approve', html`${waiver}<button class="main">Approve for good</button>`)
  return html`<details><summary>Approve</summary><p>${proposal.flow_id} ${proposal.flow_version} becomes the newest version of the flow, for everybody who may see the scope ${proposal.scope}.</p>${form}</details>`
}

function discardPart(visit: ProposalVisit): Html {
  const form = formTo(visit, 'discard', html`<button class="bad">Discard for good</button>`)
  return html`<details><summary>Discard</summary><p>The flow stays as it is.</p>${form}</details>`
}

function evaluatePart(visit: ProposalVisit): Html {
  const fields = html`<label>Outcome<select name="outcome"><option value="pass">Passed</option><option value="needs_changes">Needs changes</option><option value="fail">Failed</option></select></label>
<label>Comment<textarea name="comment" rows="3" maxlength="4000"></textarea><small>Needed unless it passed.</small></label><button>Keep the evaluation</button>`
  return html`<details><summary>Evaluate</summary><p>The newest evaluation counts. One that was not passed has to be waived to approve.</p>${formTo(visit, 'evaluate', fields)}</details>`
}

function formTo({ proposal, vault, form_token }: ProposalVisit, act: string, inside: Html): Html {
  return html`<form method="post" action="/owner/proposals/${proposal.proposal_id}/${act}">${tokenField(form_token)}${vaultField(vault)}${inside}</form>`
}
