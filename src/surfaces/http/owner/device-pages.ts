import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  ownerDeviceApprove,
  ownerDeviceDeny,
  ownerDeviceShow,
} from '../../../domains/control/owner/device.ts'
import type { Operation } from '../../../operations/define-operation.ts'
import type { Hub } from '../../../operations/hub.ts'
import { runOperation } from '../../../operations/run-operation.ts'
import { deviceConsentPath } from '../oauth/waiting-requests.ts'
import { callOf } from '../operation-call.ts'
import { faultOf, fieldOf, formToken, runForm } from './owner-forms.ts'
import { showSignIn } from './sign-in-pages.ts'
import { html } from './views/html.ts'
import { sendPage } from './views/page-layout.ts'
import { codeForm, decisionForms } from './views/sign-in-view.ts'

/** Where the owner decides about programs that wait with a code (RFC 8628, user interaction). */
export function addDevicePages(pages: FastifyInstance, hub: Hub): void {
  pages.get('/device', async (request, reply) => {
    if (request.identity.caller.kind !== 'owner_session') return showSignIn(hub, request, reply, 200)
    const { user_code } = request.query as { user_code?: unknown }
    if (user_code === undefined) return showCodeForm(reply, 200)
    return showWaiting(hub, request, reply, String(user_code))
  })
  addDecision(pages, hub, '/device/approve', ownerDeviceApprove, {
    title: 'Approved',
    text: 'You can close this page. The agent goes on by itself within a few seconds.',
  })
  addDecision(pages, hub, '/device/deny', ownerDeviceDeny, {
    title: 'Denied',
    text: 'The agent is told that you said no. It has been given nothing.',
  })
}

function addDecision(
  pages: FastifyInstance,
  hub: Hub,
  path: string,
  operation: Operation,
  { title, text }: { title: string; text: string },
): void {
  pages.post(path, async (request, reply) => {
    const answer = await runForm(hub, request, reply, operation, { user_code: fieldOf(request, 'user_code') })
    if (answer.status === 401) return showSignIn(hub, request, reply, 401, faultOf(answer))
    if (!answer.ok) return showCodeForm(reply, answer.status, faultOf(answer))
    const { client_name } = JSON.parse(answer.text) as { client_name: string }
    const body = html`<div class="card plain"><b>${client_name}</b><br>${text}<p class="note"><a href="/console/agents?tab=owner_agents">Your agents</a></p></div>`
    return sendPage(reply, 200, { title, body, signed_in: true })
  })
}

async function showWaiting(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  user_code: string,
): Promise<FastifyReply> {
  const { identity, headers } = request
  const answer = await runOperation(hub, callOf(ownerDeviceShow, identity, headers, { user_code }, undefined))
  if (!answer.ok) return showCodeForm(reply, answer.status, faultOf(answer), user_code)
  const waiting = JSON.parse(answer.text) as Parameters<typeof decisionForms>[1] & { asks_for: string }
  if (waiting.asks_for === 'mcp') return reply.redirect(deviceConsentPath(waiting.user_code), 303)
  return sendPage(reply, 200, {
    title: 'Let this agent in?',
    lead: 'A program asks to act in your name.',
    body: decisionForms(formToken(hub, request, reply), waiting),
    signed_in: true,
  })
}

function showCodeForm(reply: FastifyReply, status: number, fault?: string, typed = ''): FastifyReply {
  const lead = 'Type the code that the program shows. The next page says what it asks for, and you decide.'
  return sendPage(reply, status, {
    title: 'Approve an agent',
    lead,
    fault,
    body: codeForm(typed.slice(0, 11)),
    signed_in: true,
  })
}
