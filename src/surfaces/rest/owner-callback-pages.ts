import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CALLBACK_PATH } from '../../domains/control/intents/authorize-intent.ts'
import { ownerAuthorizationFinish } from '../../domains/control/intents/complete-intent.ts'
import type { Hub } from '../../operations/hub.ts'
import { runOperation } from '../../operations/run-operation.ts'
import { callOf, originOf } from './operation-call.ts'
import { sendNotConnected } from './owner-intent-pages.ts'
import { onwards } from './owner-intent-view.ts'
import { sendPage } from './owner-layout.ts'
import { showSignIn } from './owner-pages.ts'

const FINISH_PATH = '/owner/intents/finish'
/** What a provider may answer with (RFC 6749, RFC 9207). All else is left behind. */
const PARAMETERS = ['state', 'code', 'error', 'iss']
const QUERY_LIMIT_CHARS = 8_000

/** Where a provider sends the owner's browser. It comes from another site, so without the session: we go on from here. */
export function addCallbackPages(pages: FastifyInstance, hub: Hub): void {
  pages.get(CALLBACK_PATH, (request, reply) => {
    const url = `${FINISH_PATH}?${answerIn(request)}`
    const body = onwards(url, 'The provider has answered. One moment.', 'Go on')
    return sendPage(reply, 200, { title: 'Almost there', body, onwards: url })
  })
  pages.get(FINISH_PATH, async (request, reply) => {
    const { identity, headers } = request
    const callback_url = `${originOf(false, headers)}${CALLBACK_PATH}?${answerIn(request)}`
    const call = callOf(ownerAuthorizationFinish, identity, headers, { callback_url }, undefined)
    const answer = await runOperation(hub, call)
    if (identity.caller.kind !== 'owner_session') return showSignIn(hub, request, reply, answer.status)
    if (!answer.ok) return sendNotConnected(reply, answer)
    const { intent_id } = JSON.parse(answer.text) as { intent_id: string }
    return reply.redirect(`/owner/intents/${intent_id}?told=connected`, 303)
  })
}

/** The provider's answer as it came, repeated parts included: whether it will do is judged later. */
function answerIn({ url }: FastifyRequest): string {
  const query = url.slice(url.indexOf('?') + 1)
  const given = url.includes('?') && query.length <= QUERY_LIMIT_CHARS ? new URLSearchParams(query) : []
  return new URLSearchParams([...given].filter(([name]) => PARAMETERS.includes(name))).toString()
}
