import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ownerPresenceDecide, ownerPresenceShow } from '../../../domains/control/owner/presence.ts'
import type { Hub } from '../../../operations/hub.ts'
import { runOperation } from '../../../operations/run-operation.ts'
import { callOf } from '../operation-call.ts'
import { faultOf, fieldOf, formToken, runForm } from './owner-forms.ts'
import { showSignInFirst } from './sign-in-pages.ts'
import { html } from './views/html.ts'
import { sendPage } from './views/page-layout.ts'
import { PRESENCE_PATH, presenceView, type ShownPresence } from './views/presence-view.ts'

/** Where the owner confirms what a command on the home would open. It runs no script. */
export function addPresencePages(pages: FastifyInstance, hub: Hub): void {
  const PATH = `${PRESENCE_PATH}/:presence_id`
  pages.get(PATH, (request, reply) => show(hub, request, reply, 200))
  pages.post(PATH, async (request, reply) => {
    const { presence_id } = request.params as { presence_id: string }
    const input = { presence_id, digest: fieldOf(request, 'digest'), decision: fieldOf(request, 'decision') }
    const answer = await runForm(hub, request, reply, ownerPresenceDecide, input)
    if (answer.ok) return reply.redirect(`${PRESENCE_PATH}/${presence_id}`, 303)
    return show(hub, request, reply, answer.status, faultOf(answer))
  })
}

async function show(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  fault?: string,
): Promise<FastifyReply> {
  const { identity, headers, params } = request
  if (identity.caller.kind !== 'owner_session') return showSignInFirst(hub, request, reply, status, fault)
  const answer = await runOperation(hub, callOf(ownerPresenceShow, identity, headers, params, undefined))
  const shown = answer.ok ? (JSON.parse(answer.text) as ShownPresence) : undefined
  return sendPage(reply, answer.ok ? status : answer.status, {
    title: 'A command wants to open something',
    lead: 'It was typed on the machine of the hub, by you or by a program that runs as you.',
    fault: fault ?? (answer.ok ? undefined : faultOf(answer)),
    body: shown ? presenceView(shown, formToken(hub, request, reply)) : html``,
    wide: true,
    signed_in: true,
    form_action: '',
  })
}
