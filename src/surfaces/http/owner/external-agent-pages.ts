import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { declaredTools, offeredTools } from '../../../domains/flows/allowlist.ts'
import type { FlowBundle } from '../../../domains/flows/bundle/flow-record.ts'
import { flowExport } from '../../../domains/flows/flow-export.ts'
import { flowList } from '../../../domains/flows/flow-list.ts'
import { grantList } from '../../../domains/flows/grants/grant-list.ts'
import { grantMint } from '../../../domains/flows/grants/grant-mint.ts'
import type { Grant } from '../../../domains/flows/grants/grant-record.ts'
import { grantRevoke } from '../../../domains/flows/grants/grant-revoke.ts'
import { grantTerms } from '../../../domains/flows/grants/grant-terms.ts'
import { Refusal } from '../../../operations/errors.ts'
import type { Hub } from '../../../operations/hub.ts'
import type { Answer } from '../../../operations/run-operation.ts'
import { type OnceValues, onceValues } from './once-values.ts'
import { fieldOf, fieldsOf, formToken, runForm } from './owner-forms.ts'
import { addressIn, askIn, queryOf, sentenceOf, vaultNamed, vaultOfPage } from './owner-vault.ts'
import { showSignInFirst } from './sign-in-pages.ts'
import { type MintVisit, TOOL_PREFIX } from './views/external-agent-forms.ts'
import {
  EXTERNAL_AGENTS_PATH,
  type ExternalAgentVisit,
  externalAgentView,
  GRANTS_SHOWN,
} from './views/external-agent-view.ts'
import { shownGate } from './views/gate-view.ts'
import { sendPage } from './views/page-layout.ts'

const SENT_BEFORE =
  'This form was sent before, or is out of date: no grant was minted now. If an earlier one is listed below and you do not have its bearer, revoke it and mint another.'

/** What a page shows beside what is always there. */
interface Outcome {
  readonly status: number
  readonly fault?: string
  readonly minted?: ExternalAgentVisit['minted']
}

/** Where the owner sees whether external agents have access, to what, and gives and takes grants. */
export function addExternalAgentPages(pages: FastifyInstance, hub: Hub): void {
  const once = onceValues(hub)
  pages.get(EXTERNAL_AGENTS_PATH, (request, reply) => show(hub, once, request, reply, { status: 200 }))
  // The answer itself has the bearer: kept nowhere for a page to come, and not fit for the browser's cache of pages.
  pages.post(EXTERNAL_AGENTS_PATH, async (request, reply) => {
    const isFirst = once.take(request.identity.caller.id, fieldOf(request, 'once'))
    const refused = isFirst ? undefined : new Refusal('FORBIDDEN', SENT_BEFORE)
    const vault = vaultNamed(request)
    const answer = await runForm(hub, request, reply, grantMint, mintInput(request), { vault, refused })
    if (!answer.ok) return show(hub, once, request, reply, refusedWith(answer))
    const minted = JSON.parse(answer.text) as { grant: Grant; bearer: string }
    return show(hub, once, request, reply, { status: answer.status, minted })
  })
  pages.post(`${EXTERNAL_AGENTS_PATH}/revoke`, async (request, reply) => {
    const input = { grant_id: fieldOf(request, 'grant_id') }
    const vault = vaultNamed(request)
    const answer = await runForm(hub, request, reply, grantRevoke, input, { vault })
    if (!answer.ok) return show(hub, once, request, reply, refusedWith(answer))
    return reply.redirect(addressIn(EXTERNAL_AGENTS_PATH, vault, { told: 'revoke' }), 303)
  })
}

function refusedWith(answer: Answer): Outcome {
  return { status: answer.status, fault: sentenceOf(answer) }
}

function mintInput(request: FastifyRequest): object {
  const fields = Object.entries(fieldsOf(request))
  const label = fieldOf(request, 'actor_label')
  return {
    flow_id: fieldOf(request, 'flow_id'),
    flow_version: fieldOf(request, 'flow_version'),
    requested_tools: fields.filter(([name]) => name.startsWith(TOOL_PREFIX)).map(([, tool]) => tool),
    ttl_seconds: Number(fieldOf(request, 'ttl_seconds')),
    ...(label !== '' && { actor_label: label }),
  }
}

async function show(
  hub: Hub,
  once: OnceValues,
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: Outcome,
): Promise<FastifyReply> {
  const { caller } = request.identity
  if (caller.kind !== 'owner_session')
    return showSignInFirst(hub, request, reply, outcome.status, outcome.fault)
  const page = vaultOfPage(request)
  const { policy } = hub.rulesOf(page.vault)
  const access = shownGate(hub, page.vault, 'FLOW_EXTERNAL_AGENT_ENABLED')
  const inside = access.open ? await readInside(hub, request, page.vault) : CLOSED
  const told = queryOf(request, 'told') === 'revoke'
  const fault = outcome.fault ?? page.fault ?? (inside.refused && sentenceOf(inside.refused))
  const body = externalAgentView({
    ...inside,
    vault: page.vault,
    form_token: formToken(hub, request, reply),
    once: once.give(caller.id),
    terms: grantTerms(policy.value),
    gates: { access, hosted: shownGate(hub, page.vault, 'FLOW_HOSTED_PROJECTION_ENABLED') },
    damaged: policy.damaged !== undefined,
    tools: policy.value.external_agent?.allowed_tools ?? [],
    now: hub.system.now(),
    minted: outcome.minted,
  })
  const status = page.fault === undefined ? (inside.refused?.status ?? 200) : 400
  return sendPage(reply, outcome.status === 200 ? status : outcome.status, {
    title: 'External agents',
    lead: 'Agents outside this hub that read a flow and use its tools, each by a grant.',
    fault,
    told:
      told && fault === undefined
        ? 'The grant is revoked. It counts from the next call, everywhere.'
        : undefined,
    body,
    wide: true,
    signed_in: true,
  })
}

type Inside = Pick<MintVisit, 'flows' | 'chosen'> & {
  grants: Grant[] | undefined
  refused: Answer | undefined
}

const CLOSED: Inside = { grants: undefined, flows: [], chosen: undefined, refused: undefined }

/** What only an open gate lets anybody see. */
async function readInside(hub: Hub, request: FastifyRequest, vault: string): Promise<Inside> {
  const [listed, flows] = await Promise.all([
    askIn(hub, request, vault, grantList, { limit: GRANTS_SHOWN }),
    askIn(hub, request, vault, flowList, {}),
  ])
  const chosen = await readChosen(hub, request, vault)
  const refused = [listed, flows].find(({ ok }) => !ok) ?? (chosen && !chosen.ok ? chosen : undefined)
  return {
    grants: listed.ok ? (JSON.parse(listed.text) as { grants: Grant[] }).grants : undefined,
    flows: flows.ok ? (JSON.parse(flows.text) as Pick<MintVisit, 'flows'>).flows : [],
    chosen: chosen?.ok ? describe(hub, vault, JSON.parse(chosen.text) as FlowBundle) : undefined,
    refused,
  }
}

/** The flow version that was chosen on the page, or that a grant was asked for. */
async function readChosen(hub: Hub, request: FastifyRequest, vault: string): Promise<Answer | undefined> {
  const flow_id = fieldOf(request, 'flow_id') || queryOf(request, 'flow')
  const version = fieldOf(request, 'flow_version') || queryOf(request, 'version')
  if (flow_id === undefined) return undefined
  return askIn(hub, request, vault, flowExport, { flow_id, ...(version !== undefined && { version }) })
}

function describe(hub: Hub, vault: string, { flow, steps }: FlowBundle): MintVisit['chosen'] {
  const offered = offeredTools(steps, hub.rulesOf(vault).policy.value)
  const denied = declaredTools(steps).filter((tool) => !offered.includes(tool))
  return { flow_id: flow.flow_id, version: flow.version, offered, denied }
}
