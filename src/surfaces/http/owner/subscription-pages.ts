import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { subscriptionCreate } from '../../../domains/control/subscriptions/subscription-create.ts'
import { subscriptionUpdate } from '../../../domains/control/subscriptions/subscription-update.ts'
import { Refusal } from '../../../operations/errors.ts'
import type { Hub } from '../../../operations/hub.ts'
import { type OnceValues, onceValues } from './once-values.ts'
import { faultOf, fieldOf, formToken, runForm } from './owner-forms.ts'
import { queryOf } from './owner-vault.ts'
import { showSignInFirst } from './sign-in-pages.ts'
import { html } from './views/html.ts'
import { sendPage } from './views/page-layout.ts'
import { type SubscriptionWish, secretPart, wishForm } from './views/subscription-view.ts'

const PATH = '/owner/subscriptions'
const SENT_BEFORE = 'This form was sent before, or is out of date. Go back to the console and begin again.'
const FIELDS = ['callback_url', 'connection_id', 'types', 'subscription_id'] as const

/** What is seen while a subscription is made, or gets another signing secret: the one page that shows the secret. */
export function addSubscriptionPages(pages: FastifyInstance, hub: Hub): void {
  const once = onceValues(hub)
  pages.get(PATH, (request, reply) =>
    showWish(
      hub,
      once,
      request,
      reply,
      wishOf((name) => queryOf(request, name) ?? ''),
      200,
    ),
  )
  pages.post(PATH, async (request, reply) => {
    const wish = wishOf((name) => fieldOf(request, name))
    const isFirst = once.take(request.identity.caller.id, fieldOf(request, 'once'))
    const refused = isFirst ? undefined : new Refusal('FORBIDDEN', SENT_BEFORE)
    const { subscription_id } = wish
    const answer = await (subscription_id === ''
      ? runForm(hub, request, reply, subscriptionCreate, inputOf(wish), { refused })
      : runForm(
          hub,
          request,
          reply,
          subscriptionUpdate,
          { subscription_id, rotate_secret: true },
          { refused },
        ))
    if (!answer.ok) return showWish(hub, once, request, reply, wish, answer.status, faultOf(answer))
    const made = JSON.parse(answer.text) as { callback_url: string; secret: string }
    const body = secretPart(made)
    return sendPage(reply, answer.status, { title: 'The signing secret', body, signed_in: true })
  })
}

function wishOf(read: (name: (typeof FIELDS)[number]) => string): SubscriptionWish {
  return {
    callback_url: read('callback_url'),
    connection_id: read('connection_id'),
    types: read('types').split(',').filter(Boolean),
    subscription_id: read('subscription_id'),
  }
}

function inputOf({ callback_url, connection_id, types }: SubscriptionWish): object {
  const filters = {
    ...(connection_id !== '' && { connection_ids: [connection_id] }),
    ...(types.length > 0 && { types }),
  }
  return { callback_url, ...(Object.keys(filters).length > 0 && { filters }) }
}

function showWish(
  hub: Hub,
  once: OnceValues,
  request: FastifyRequest,
  reply: FastifyReply,
  wish: SubscriptionWish,
  status: number,
  fault?: string,
): FastifyReply | Promise<FastifyReply> {
  const { caller } = request.identity
  if (caller.kind !== 'owner_session') return showSignInFirst(hub, request, reply, status, fault)
  const isNew = wish.subscription_id === ''
  return sendPage(reply, status, {
    title: isNew ? 'Subscribe?' : 'A new signing secret?',
    lead: isNew
      ? 'The hub posts signed events to this address, once it has proven that it wants them.'
      : 'Events are signed with the new secret at once; the former one counts for a day beside it.',
    fault,
    body: html`${wishForm(wish, formToken(hub, request, reply), once.give(caller.id), PATH)}`,
    signed_in: true,
  })
}
