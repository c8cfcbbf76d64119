import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ownerApprovalDecide } from '../../../domains/control/approvals/approval-decide.ts'
import {
  ownerApprovalList,
  ownerApprovalShow,
} from '../../../domains/control/approvals/approval-operations.ts'
import type { Hub } from '../../../operations/hub.ts'
import { fieldOf, formToken, runForm } from './owner-forms.ts'
import { addressIn, askIn, sentenceOf, vaultNamed, vaultOfPage } from './owner-vault.ts'
import { showSignIn, showSignInFirst } from './sign-in-pages.ts'
import {
  APPROVALS_PATH,
  approvalsView,
  approvalView,
  type ShownApproval,
  stateWords,
} from './views/approval-view.ts'
import { html } from './views/html.ts'
import { sendPage } from './views/page-layout.ts'

const PAGE_SIZE = 50

/** Where the owner reads what a call would do, and says yes or no. They run no script. */
export function addApprovalPages(pages: FastifyInstance, hub: Hub): void {
  pages.get(APPROVALS_PATH, (request, reply) => showApprovals(hub, request, reply))
  pages.get(`${APPROVALS_PATH}/:approval_id`, (request, reply) => showApproval(hub, request, reply, 200))
  pages.post(`${APPROVALS_PATH}/:approval_id/decision`, async (request, reply) => {
    const reason = fieldOf(request, 'reason').trim()
    const input = {
      approval_id: approvalIn(request),
      decision: fieldOf(request, 'decision'),
      digest: fieldOf(request, 'digest'),
      for: fieldOf(request, 'for') || 'call',
      ...(reason !== '' && { reason }),
    }
    const vault = vaultNamed(request)
    const answer = await runForm(hub, request, reply, ownerApprovalDecide, input, { vault })
    if (!answer.ok) return showApproval(hub, request, reply, answer.status, sentenceOf(answer))
    return reply.redirect(addressIn(`${APPROVALS_PATH}/${input.approval_id}`, vault), 303)
  })
}

function approvalIn({ params }: FastifyRequest): string {
  return (params as { approval_id: string }).approval_id
}

async function showApprovals(hub: Hub, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (request.identity.caller.kind !== 'owner_session') return showSignIn(hub, request, reply, 200)
  const { vault, fault } = vaultOfPage(request)
  const answer = await askIn(hub, request, vault, ownerApprovalList, { limit: PAGE_SIZE })
  const { data = [] } = JSON.parse(answer.text) as { data?: ShownApproval[] }
  return sendPage(reply, answer.ok ? 200 : answer.status, {
    title: 'Calls that ask first',
    lead: 'What agents want to do with tools that wait for your word.',
    fault: answer.ok ? fault : sentenceOf(answer),
    body: answer.ok ? approvalsView(vault, data) : html``,
    wide: true,
    signed_in: true,
    form_action: '',
  })
}

async function showApproval(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  fault?: string,
): Promise<FastifyReply> {
  if (request.identity.caller.kind !== 'owner_session')
    return showSignInFirst(hub, request, reply, status, fault)
  const page = vaultOfPage(request)
  const approval_id = approvalIn(request)
  const answer = await askIn(hub, request, page.vault, ownerApprovalShow, { approval_id })
  const around = { wide: true, signed_in: true, form_action: '' }
  if (!answer.ok) {
    const body = html`<p class="plain"><a href="${addressIn(APPROVALS_PATH, page.vault)}">All calls that ask first</a></p>`
    const wrong = fault ?? page.fault ?? sentenceOf(answer)
    return sendPage(reply, answer.status, { title: 'Call', fault: wrong, body, ...around })
  }
  const approval = JSON.parse(answer.text) as ShownApproval
  const visit = {
    approval,
    vault: page.vault,
    form_token: formToken(hub, request, reply),
    now: hub.system.now(),
  }
  return sendPage(reply, status, {
    title: `${approval.client} wants to call ${approval.tool_id}`,
    lead: `It is ${stateWords(approval.state)}.`,
    fault: fault ?? page.fault,
    body: approvalView(visit),
    ...around,
  })
}
