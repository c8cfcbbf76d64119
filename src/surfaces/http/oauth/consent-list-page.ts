import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import {
  type ConsentListOutput,
  ownerConsentList,
  ownerConsentRevoke,
} from '../../../domains/control/consents/consent-operations.ts'
import { budgetWords } from '../../../domains/flows/grants/grant-budgets.ts'
import type { Hub } from '../../../operations/hub.ts'
import { runOperation } from '../../../operations/run-operation.ts'
import { callOf } from '../operation-call.ts'
import { faultOf, fieldOf, formToken, runForm } from '../owner/owner-forms.ts'
import { showSignInFirst } from '../owner/sign-in-pages.ts'
import { type Html, html } from '../owner/views/html.ts'
import { sendPage } from '../owner/views/page-layout.ts'
import { shortWord, word } from '../owner/views/quoted-words.ts'
import { buttonForm, shownTime } from '../owner/views/sign-in-view.ts'

const PATH = '/owner/consents'
const WORD_CHARS = 100
type Listed = z.output<typeof ConsentListOutput>

/** Where the owner sees which programs came in by the address, and sends them away. */
export function addConsentListPage(pages: FastifyInstance, hub: Hub): void {
  pages.get(PATH, (request, reply) => show(hub, request, reply, 200))
  pages.post(`${PATH}/revoke`, async (request, reply) => {
    const input = { consent_id: fieldOf(request, 'consent_id') }
    const answer = await runForm(hub, request, reply, ownerConsentRevoke, input)
    return answer.ok
      ? reply.redirect(`${PATH}?told=revoke`, 303)
      : show(hub, request, reply, answer.status, faultOf(answer))
  })
}

async function show(hub: Hub, request: FastifyRequest, reply: FastifyReply, status: number, fault?: string) {
  const { identity, headers, query } = request
  if (identity.caller.kind !== 'owner_session') return showSignInFirst(hub, request, reply, status, fault)
  const answer = await runOperation(hub, callOf(ownerConsentList, identity, headers, {}, undefined))
  const { data, truncated } = answer.ok ? (JSON.parse(answer.text) as Listed) : { data: [], truncated: false }
  const isTold = fault === undefined && (query as { told?: unknown }).told === 'revoke'
  const form_token = formToken(hub, request, reply)
  const rows = data.map((consent) => consentRow(form_token, consent))
  return sendPage(reply, answer.ok ? status : answer.status, {
    title: 'Connected programs',
    lead: 'Programs that came in by the address of MCP, and what you allowed them.',
    fault: fault ?? (answer.ok ? undefined : faultOf(answer)),
    told: isTold ? 'It is revoked. That counts from the next call, everywhere.' : undefined,
    body: html`<section><h2>Allowed</h2>${rows.length > 0 ? html`<ul class="list">${rows}</ul>` : html`<p class="empty">No program so far.</p>`}${truncated && html`<p class="note">There are more, and older ones.</p>`}
<p class="note">A program is given the address <code>/mcp</code> of this hub, and then asks here.</p></section>`,
    wide: true,
    signed_in: true,
  })
}

function consentRow(form_token: string, consent: Listed['data'][number]): Html {
  const {
    consent_id,
    label,
    client_name,
    client_address,
    flow_id,
    flow_version,
    tools,
    bounds,
    state,
    renewals,
  } = consent
  const allowed =
    flow_id === null
      ? html`${consent.role ?? ''} of ${consent.vault_id}`
      : html`${flow_id} ${flow_version ?? ''}: ${tools.map((tool, at) => html`${at > 0 && ', '}${word(tool)}`)}${bounds !== null && ` · at most ${budgetWords(bounds)}`}`
  const end =
    state === 'standing'
      ? `renews until ${shownTime(consent.standing_until)}`
      : `over: ${(consent.end_reason ?? 'expired').replaceAll('_', ' ')}`
  const revoke = {
    action: `${PATH}/revoke`,
    form_token,
    label: 'Revoke',
    kind: 'bad small',
    about: consent_id,
  }
  return html`<li><div><b>${shortWord(label, WORD_CHARS)}</b><span>${allowed}</span><span>calls itself ${shortWord(client_name, WORD_CHARS)} · answers to ${shortWord(client_address, WORD_CHARS)} · since ${shownTime(consent.created_at)} · ${end} · tokens given ${renewals}</span><span>${consent_id}</span></div>${state === 'standing' && buttonForm(revoke, { consent_id })}</li>`
}
