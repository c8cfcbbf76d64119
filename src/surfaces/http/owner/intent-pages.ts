import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findConnector, listConnectors } from '../../../domains/control/connectors/connector-registry.ts'
import { CALLBACK_PATH, ownerIntentAuthorize } from '../../../domains/control/intents/authorize-intent.ts'
import { ownerIntentComplete } from '../../../domains/control/intents/complete-intent.ts'
import { ownerConnectionIntentCreate } from '../../../domains/control/intents/create-intent.ts'
import type { ShownIntent } from '../../../domains/control/intents/intent-schemas.ts'
import {
  ownerIntentCancel,
  ownerIntentList,
  ownerIntentShow,
} from '../../../domains/control/intents/intents.ts'
import { localhostOf } from '../../../domains/control/owner/hub-address.ts'
import type { Operation } from '../../../operations/define-operation.ts'
import type { Hub } from '../../../operations/hub.ts'
import { type Answer, runOperation } from '../../../operations/run-operation.ts'
import { callOf } from '../operation-call.ts'
import { faultOf, fieldOf, fieldsOf, formToken, runForm } from './owner-forms.ts'
import { showSignInFirst } from './sign-in-pages.ts'
import { forOwner } from './uploads.ts'
import { intentsView, intentView, SETTING_PREFIX } from './views/intent-view.ts'
import { onwards, sendPage } from './views/page-layout.ts'

const PATH = '/owner/intents'

/** Where the owner takes the steps that nobody else can: fills in, uploads, goes to providers. */
export function addIntentPages(pages: FastifyInstance, hub: Hub): void {
  pages.get(PATH, (request, reply) => showIntents(hub, request, reply, 200))
  pages.post(PATH, async (request, reply) => {
    const connector_id = fieldOf(request, 'connector_id')
    const answer = await runForm(hub, request, reply, ownerConnectionIntentCreate, { connector_id })
    if (!answer.ok) return showIntents(hub, request, reply, answer.status, faultOf(answer))
    return reply.redirect(`${PATH}/${intentOf(answer).intent_id}`, 303)
  })
  pages.get(`${PATH}/:intent_id`, (request, reply) => showIntent(hub, request, reply, 200))
  pages.post(`${PATH}/:intent_id/cancel`, async (request, reply) => {
    const answer = await runForm(hub, request, reply, ownerIntentCancel, { intent_id: idOf(request) })
    if (!answer.ok) return showIntent(hub, request, reply, answer.status, faultOf(answer))
    return reply.redirect(PATH, 303)
  })
  addStep(pages, hub, 'complete', ownerIntentComplete, (request, reply) =>
    reply.redirect(`${PATH}/${idOf(request)}?told=connected`, 303),
  )
  addStep(pages, hub, 'authorize', ownerIntentAuthorize, (_request, reply, answer) =>
    sendOnwards(reply, (JSON.parse(answer.text) as { authorization_url: string }).authorization_url),
  )
}

function addStep(
  pages: FastifyInstance,
  hub: Hub,
  act: string,
  operation: Operation,
  goOn: (request: FastifyRequest, reply: FastifyReply, answer: Answer) => FastifyReply,
): void {
  const path = `${PATH}/:intent_id/${act}`
  pages.post(path, { onRequest: forOwner(hub, operation) }, async (request, reply) => {
    const input = { intent_id: idOf(request), values: settingsOf(request) }
    const answer = await runForm(hub, request, reply, operation, input)
    if (answer.ok) return goOn(request, reply, answer)
    return showIntent(hub, request, reply, answer.status, faultOf(answer))
  })
}

/** A form's answer may not lead to another site, so a page does. It names the place that the owner goes to. */
function sendOnwards(reply: FastifyReply, url: string): FastifyReply {
  const { host } = new URL(url)
  const text = `You are on your way to ${host}. Come back to this browser from there.`
  const body = onwards(url, text, `Go to ${host}`)
  return sendPage(reply, 200, { title: 'To the provider', body, signed_in: true, onwards: url })
}

function idOf({ params }: FastifyRequest): string {
  return (params as { intent_id: string }).intent_id
}

function intentOf({ text }: Answer): ShownIntent {
  return JSON.parse(text) as ShownIntent
}

function settingsOf(request: FastifyRequest): Record<string, string> {
  const given = Object.entries(fieldsOf(request)).filter(([name]) => name.startsWith(SETTING_PREFIX))
  return Object.fromEntries(given.map(([name, value]) => [name.slice(SETTING_PREFIX.length), String(value)]))
}

async function showIntents(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  fault?: string,
): Promise<FastifyReply> {
  const { identity, headers } = request
  if (identity.caller.kind !== 'owner_session') return showSignInFirst(hub, request, reply, status, fault)
  const answer = await runOperation(
    hub,
    callOf(ownerIntentList, identity, headers, { limit: 100 }, undefined),
  )
  const { data } = JSON.parse(answer.text) as { data?: ShownIntent[] }
  const { connectors } = await listConnectors(hub)
  const offers = connectors.map(({ manifest: { connector_id, display_name, reason, support_state } }) => ({
    connector_id,
    display_name,
    about: reason,
    is_offered: support_state !== 'unsupported',
  }))
  const waiting = (data ?? []).filter(({ state }) => state === 'open')
  const body = intentsView(formToken(hub, request, reply), waiting, offers)
  const lead = 'Where this hub collects from, in your name and only with your word.'
  return sendPage(reply, status, { title: 'Connect', lead, fault, body, wide: true, signed_in: true })
}

async function showIntent(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  fault?: string,
): Promise<FastifyReply> {
  const { identity, headers, query } = request
  if (identity.caller.kind !== 'owner_session') return showSignInFirst(hub, request, reply, status, fault)
  const input = { intent_id: idOf(request) }
  const answer = await runOperation(hub, callOf(ownerIntentShow, identity, headers, input, undefined))
  if (!answer.ok) return showIntents(hub, request, reply, answer.status, faultOf(answer))
  const intent = intentOf(answer)
  const { told } = query as { told?: string }
  const manifest = (await findConnector(hub, intent.connector_id))?.manifest
  const about = manifest?.reason ?? intent.next_step.reason
  const form_token = formToken(hub, request, reply)
  const callback_url = `${localhostOf(identity.origin)}${CALLBACK_PATH}`
  return sendPage(reply, status, {
    title: intent.state === 'completed' ? 'Connected' : `Connect ${intent.connector_name}`,
    lead: intent.next_step.kind === 'complete_browser_assistance' ? undefined : leadOf(intent, about),
    fault,
    told: told === 'connected' && intent.state === 'completed' ? 'The source has answered.' : undefined,
    body: intentView({
      form_token,
      intent,
      about,
      callback_url,
      typed: fault === undefined ? {} : settingsOf(request),
    }),
    signed_in: true,
  })
}

function leadOf({ state }: ShownIntent, about: string): string | undefined {
  return state === 'open' ? about : undefined
}
