import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CALLBACK_PATH } from '../../../domains/control/intents/authorize-intent.ts'
import { ownerAuthorizationFinish } from '../../../domains/control/intents/complete-intent.ts'
import { findIntentByState } from '../../../domains/control/intents/intent-store.ts'
import { CONNECT_PATH } from '../../../domains/control/intents/show-intent.ts'
import { localhostOf } from '../../../domains/control/owner/hub-address.ts'
import type { Hub } from '../../../operations/hub.ts'
import { type Answer, runOperation } from '../../../operations/run-operation.ts'
import { callOf } from '../operation-call.ts'
import { faultOf } from './owner-forms.ts'
import { ownOrigin, showSignIn } from './sign-in-pages.ts'
import { html } from './views/html.ts'
import { onwards, sendPage } from './views/page-layout.ts'

const FINISH_PATH = '/owner/intents/finish'
/** What a provider may answer with (RFC 6749, RFC 9207). All else is left behind. */
const PARAMETERS = ['state', 'code', 'error', 'iss']
const QUERY_LIMIT_CHARS = 8_000

/**
 * Where a provider sends the owner's browser, which comes from another site and so without the session. From the name
 * that the provider knows it goes to the owner's own, and from there on as a page of the hub's.
 */
export function addCallbackPages(pages: FastifyInstance, hub: Hub): void {
  pages.get(CALLBACK_PATH, async (request, reply) => {
    const answer = answerIn(request)
    if (!request.identity.named) return leadOver(hub, request, reply, answer)
    const url = `${FINISH_PATH}?${answer}`
    const body = onwards(url, 'The provider has answered. One moment.', 'Go on')
    return sendPage(reply, 200, { title: 'Almost there', body, onwards: url })
  })
  pages.get(FINISH_PATH, async (request, reply) => {
    const { identity, headers } = request
    const callback_url = `${localhostOf(identity.origin)}${CALLBACK_PATH}?${answerIn(request)}`
    const call = callOf(ownerAuthorizationFinish, identity, headers, { callback_url }, undefined)
    const answer = await runOperation(hub, call)
    if (identity.caller.kind !== 'owner_session') return showSignIn(hub, request, reply, answer.status)
    if (!answer.ok) return sendNotConnected(reply, answer)
    const { intent_id } = JSON.parse(answer.text) as { intent_id: string }
    return reply.redirect(`${CONNECT_PATH}/${intent_id}`, 303)
  })
}

/** Only who brings a state that an intent waits for hears the name of the owner's pages; nobody can guess one. */
async function leadOver(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: string,
): Promise<FastifyReply> {
  const state = new URLSearchParams(answer).get('state') ?? ''
  if (await findIntentByState(hub.db, state))
    return reply.redirect(`${ownOrigin(hub, request)}${CALLBACK_PATH}?${answer}`, 303)
  return sendPage(reply, 400, {
    title: 'Not connected',
    fault: 'No connection of this hub waits for this answer: it came before, or too late.',
    body: html`<p class="plain"><a href="${CONNECT_PATH}">Your connections</a></p>`,
  })
}

/** The provider's answer as it came, repeated parts included: whether it will do is judged later. */
function answerIn({ url }: FastifyRequest): string {
  const query = url.slice(url.indexOf('?') + 1)
  const given = url.includes('?') && query.length <= QUERY_LIMIT_CHARS ? new URLSearchParams(query) : []
  return new URLSearchParams([...given].filter(([name]) => PARAMETERS.includes(name))).toString()
}

/** Tells that a provider's answer came to nothing, and where to try again. */
function sendNotConnected(reply: FastifyReply, answer: Answer): FastifyReply {
  const body = html`<div class="card plain">Nothing was connected. <a href="${CONNECT_PATH}">Your connections</a> show what still waits.</div>`
  return sendPage(reply, answer.status, {
    title: 'Not connected',
    fault: faultOf(answer),
    body,
    signed_in: true,
  })
}
