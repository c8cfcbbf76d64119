import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allowedToolIds } from '../../../domains/flows/allowlist.ts'
import { findLineageHead } from '../../../domains/flows/authoring/lineage.ts'
import { proposalApprove } from '../../../domains/flows/authoring/proposal-approve.ts'
import { proposalDiscard } from '../../../domains/flows/authoring/proposal-discard.ts'
import { proposalEvaluate } from '../../../domains/flows/authoring/proposal-evaluate.ts'
import { proposalList } from '../../../domains/flows/authoring/proposal-list.ts'
import type { ProposalReview } from '../../../domains/flows/authoring/proposal-record.ts'
import { proposalShow } from '../../../domains/flows/authoring/proposal-show.ts'
import { SCOPES } from '../../../domains/flows/bundle/bundle-vocabulary.ts'
import type { FlowBundle } from '../../../domains/flows/bundle/flow-record.ts'
import { hasAuthority } from '../../../operations/authority.ts'
import type { Operation } from '../../../operations/define-operation.ts'
import type { Hub } from '../../../operations/hub.ts'
import { fieldOf, formToken, runForm } from './owner-forms.ts'
import { addressIn, askIn, queryOf, sentenceOf, vaultNamed, vaultOfPage } from './owner-vault.ts'
import { showSignIn, showSignInFirst } from './sign-in-pages.ts'
import { shownGate } from './views/gate-view.ts'
import { html } from './views/html.ts'
import { sendPage } from './views/page-layout.ts'
import { PROPOSALS_PATH, type ProposalVisit, proposalsView, proposalView } from './views/proposal-view.ts'

const PAGE_SIZE = 20

/** What the page says after something was done, and the state in which that is true. */
const TOLD: Readonly<Record<string, readonly [string, ProposalReview['status']]>> = {
  approve: ['It is approved: the flow has its new version.', 'approved'],
  discard: ['It is discarded. The flow stays as it is.', 'discarded'],
  evaluate: ['The evaluation is kept.', 'proposed'],
}

/** Where the owner reads what was proposed, and approves or discards it. */
export function addProposalPages(pages: FastifyInstance, hub: Hub): void {
  pages.get(PROPOSALS_PATH, (request, reply) => showProposals(hub, request, reply))
  pages.get(`${PROPOSALS_PATH}/:proposal_id`, (request, reply) => showProposal(hub, request, reply, 200))
  addAct(pages, hub, 'approve', proposalApprove, ['waiver_reason'])
  addAct(pages, hub, 'discard', proposalDiscard, [])
  addAct(pages, hub, 'evaluate', proposalEvaluate, ['outcome', 'comment'])
}

function addAct(
  pages: FastifyInstance,
  hub: Hub,
  act: string,
  operation: Operation,
  fields: readonly string[],
): void {
  pages.post(`${PROPOSALS_PATH}/:proposal_id/${act}`, async (request, reply) => {
    const proposal_id = proposalIn(request)
    // A field that was left empty says nothing; a browser ends lines as mail does.
    const said = fields.map((name) => [name, fieldOf(request, name).replaceAll('\r\n', '\n')] as const)
    const input = { proposal_id, ...Object.fromEntries(said.filter(([, value]) => value !== '')) }
    const answer = await runForm(hub, request, reply, operation, input, { vault: vaultNamed(request) })
    if (!answer.ok) return showProposal(hub, request, reply, answer.status, sentenceOf(answer))
    const address = addressIn(`${PROPOSALS_PATH}/${proposal_id}`, vaultNamed(request), { told: act })
    return reply.redirect(address, 303)
  })
}

function proposalIn({ params }: FastifyRequest): string {
  return (params as { proposal_id: string }).proposal_id
}

async function showProposals(hub: Hub, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (request.identity.caller.kind !== 'owner_session') return showSignIn(hub, request, reply, 200)
  const { vault, fault } = vaultOfPage(request)
  const status = queryOf(request, 'status') ?? 'proposed'
  const cursor = queryOf(request, 'cursor')
  const input = { status, limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) }
  const answer = await askIn(hub, request, vault, proposalList, input)
  const { proposals = [], next_cursor = null } = JSON.parse(answer.text) as {
    proposals?: ProposalReview[]
    next_cursor?: string | null
  }
  const gate = shownGate(hub, vault, 'FLOW_AUTHORING_WRITES')
  const good = fault === undefined ? 200 : 400
  return sendPage(reply, answer.ok ? good : answer.status, {
    title: 'Proposals',
    lead: gate.open
      ? 'New flows and new versions that wait for your word. Nothing is a flow before that.'
      : `Authoring is off. ${gate.because}`,
    fault: answer.ok ? fault : sentenceOf(answer),
    body: answer.ok ? proposalsView({ vault, status, proposals, next_cursor }) : html``,
    wide: true,
    signed_in: true,
  })
}

async function showProposal(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  fault?: string,
): Promise<FastifyReply> {
  const { caller } = request.identity
  if (caller.kind !== 'owner_session') return showSignInFirst(hub, request, reply, status, fault)
  const page = vaultOfPage(request)
  const answer = await askIn(hub, request, page.vault, proposalShow, { proposal_id: proposalIn(request) })
  if (!answer.ok) {
    const body = html`<p class="plain"><a href="${addressIn(PROPOSALS_PATH, page.vault)}">All open proposals</a></p>`
    const wrong = fault ?? page.fault ?? sentenceOf(answer)
    return sendPage(reply, answer.status, {
      title: 'Proposal',
      fault: wrong,
      body,
      wide: true,
      signed_in: true,
    })
  }
  const read = JSON.parse(answer.text) as FlowBundle & Pick<ProposalVisit, 'proposal' | 'diff'>
  const act = queryOf(request, 'told') ?? ''
  const [told, when] = (Object.hasOwn(TOLD, act) ? TOLD[act] : undefined) ?? []
  const visit: ProposalVisit = {
    ...read,
    ...(await baseOf(hub, page.vault, read.proposal)),
    form_token: formToken(hub, request, reply),
    vault: page.vault,
    gate: shownGate(hub, page.vault, 'FLOW_AUTHORING_WRITES'),
    may: {
      approve: hasAuthority(proposalApprove.authority, caller),
      discard: hasAuthority(proposalDiscard.authority, caller),
      evaluate: hasAuthority(proposalEvaluate.authority, caller),
    },
    isAllowed: (tool) => allowedToolIds(hub.rulesOf(page.vault).policy.value).has(tool),
  }
  return sendPage(reply, status, {
    title: `${read.proposal.flow_id} ${read.proposal.flow_version}`,
    lead: 'A proposal to review.',
    fault: fault ?? page.fault,
    told: fault === undefined && when === read.proposal.status ? told : undefined,
    body: proposalView(visit),
    wide: true,
    signed_in: true,
  })
}

/** Where the flow is now, by the same measure by which an approval is judged. */
async function baseOf(hub: Hub, vault: string, { flow_id, base_version, base_state_id }: ProposalReview) {
  const head = await findLineageHead(hub.db, vault, flow_id, SCOPES)
  const is_current = (head?.version ?? null) === base_version && (head?.state_id ?? null) === base_state_id
  return { newest: head?.version, is_current }
}
