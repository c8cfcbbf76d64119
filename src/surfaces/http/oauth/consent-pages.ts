import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ownerConsentDecide, ownerConsentDeny } from '../../../domains/control/consents/consent-decide.ts'
import { ownerConsentView } from '../../../domains/control/consents/sign-in-records.ts'
import { offeredTools, requireAllowedTool } from '../../../domains/flows/allowlist.ts'
import type { FlowBundle } from '../../../domains/flows/bundle/flow-record.ts'
import { flowExport } from '../../../domains/flows/flow-export.ts'
import { flowList } from '../../../domains/flows/flow-list.ts'
import { digestTools } from '../../../domains/flows/grants/consent-grant.ts'
import { budgetWords } from '../../../domains/flows/grants/grant-budgets.ts'
import { grantTerms } from '../../../domains/flows/grants/grant-terms.ts'
import { hasAuthority } from '../../../operations/authority.ts'
import { Refusal } from '../../../operations/errors.ts'
import type { Registry } from '../../../operations/registry.ts'
import { type Answer, runOperation } from '../../../operations/run-operation.ts'
import { mcpClientCaller, ROLES, type Role } from '../../../platform/identity/caller.ts'
import { findConsentWish } from '../../../platform/identity/mcp/consent-wish.ts'
import { scopesOfRole } from '../../../platform/policy/visible-scopes.ts'
import { callOf } from '../operation-call.ts'
import { faultOf, fieldOf, fieldsOf, formToken, runForm } from '../owner/owner-forms.ts'
import { askIn, queryOf, vaultNamed, vaultOfPage } from '../owner/owner-vault.ts'
import { showSignIn } from '../owner/sign-in-pages.ts'
import { TOOL_PREFIX } from '../owner/views/external-agent-forms.ts'
import { shownGate } from '../owner/views/gate-view.ts'
import { html } from '../owner/views/html.ts'
import { sendPage } from '../owner/views/page-layout.ts'
import { cutWord } from '../owner/views/quoted-words.ts'
import { BOUND_FIELDS, type ConsentVisit, consentView } from './consent-view.ts'
import { type SignIn, sendStartAgain } from './oauth-routes.ts'
import { findWaiting, type Waiting } from './waiting-requests.ts'

const OVER = 'This request was decided before, or its time is over: it waits for ten minutes.'
const LABEL_CHARS = 64
const MEMBER_TOKEN_SECONDS = 3_600

/** Where the owner sees what program asks to come in at MCP, and decides once what it may do. */
export function addConsentPages(pages: FastifyInstance, signIn: SignIn, registry: Registry): void {
  const { hub } = signIn
  pages.get('/oauth/consent/:request', async (request, reply) => {
    const { identity, headers } = request
    if (identity.caller.kind !== 'owner_session') return showSignIn(hub, request, reply, 200)
    const waiting = await findWaiting(signIn, request)
    if (!waiting) return sendOver(reply)
    const seen = await runOperation(hub, callOf(ownerConsentView, identity, headers, {}, undefined))
    if (!seen.ok) return sendStartAgain(reply, seen.status, 'Not shown', faultOf(seen))
    return show(signIn, registry, request, reply, waiting)
  })
  pages.post('/oauth/consent/:request/allow', async (request, reply) => {
    const waiting = await findWaiting(signIn, request)
    if (!waiting) return sendOver(reply)
    const { input, vault, refused } = await readChoice(signIn, request, waiting)
    const answer = await runForm(hub, request, reply, ownerConsentDecide, input, { vault, refused })
    if (answer.ok) return sendBack(signIn, reply, waiting, answer)
    if (request.identity.caller.kind !== 'owner_session')
      return showSignIn(hub, request, reply, answer.status, faultOf(answer))
    if (answer.code === 'request_over') return sendOver(reply)
    return show(signIn, registry, request, reply, waiting, answer)
  })
  // A page that refused what was posted stands at this address, and people load it anew.
  pages.get('/oauth/consent/:request/allow', async (request, reply) => {
    const { request: id } = request.params as { request: string }
    return reply.redirect(`/oauth/consent/${encodeURIComponent(id)}`, 303)
  })
  pages.post('/oauth/consent/:request/deny', async (request, reply) => {
    const waiting = await findWaiting(signIn, request)
    if (!waiting) return sendOver(reply)
    const answer = await runForm(hub, request, reply, ownerConsentDeny, { waiting: waiting.id })
    if (answer.ok) return sendBack(signIn, reply, waiting, undefined)
    if (request.identity.caller.kind !== 'owner_session')
      return showSignIn(hub, request, reply, answer.status, faultOf(answer))
    return sendStartAgain(reply, answer.status, 'Nothing was decided', faultOf(answer))
  })
}

function sendOver(reply: FastifyReply): FastifyReply {
  return sendStartAgain(reply, 410, 'This request is over', OVER)
}

/** The program hears of it where it waits; one with a code asks by itself. */
async function sendBack(
  { server }: SignIn,
  reply: FastifyReply,
  waiting: Waiting,
  answer: Answer | undefined,
): Promise<FastifyReply> {
  const consent_id = answer && (JSON.parse(answer.text) as { consent_id: string }).consent_id
  if ('request' in waiting.id) {
    const location = await (await server()).finish(waiting.id.request, consent_id)
    return location === undefined ? sendOver(reply) : reply.redirect(location, 303)
  }
  const title = consent_id === undefined ? 'Denied' : 'Allowed'
  const text =
    consent_id === undefined
      ? 'The program is told that you said no. It has been given nothing.'
      : 'You can close this page. The program goes on by itself within a few seconds.'
  const body = html`<div class="card plain">${text}</div>`
  return sendPage(reply, 200, { title, body, signed_in: true, form_action: '' })
}

/** What the owner has ticked; what is not offered any more is refused, and so recorded. */
async function readChoice(signIn: SignIn, request: FastifyRequest, waiting: Waiting) {
  const vault = vaultNamed(request)
  const flow_id = fieldOf(request, 'flow_id')
  const ttl_seconds = Number(fieldOf(request, 'ttl_seconds')) || MEMBER_TOKEN_SECONDS
  const base = {
    waiting: waiting.id,
    client_id: waiting.client_id,
    client_name: waiting.client_name,
    client_address: waiting.redirect_uri === undefined ? '-' : addressShown(waiting),
    label: fieldOf(request, 'label'),
    vault,
    standing_seconds: Number(fieldOf(request, 'standing_seconds')) || ttl_seconds,
  }
  if (flow_id === '') return { vault, input: { ...base, role: fieldOf(request, 'role') }, refused: undefined }
  const fields = Object.entries(fieldsOf(request))
  const tools = fields.filter(([name]) => name.startsWith(TOOL_PREFIX)).map(([, tool]) => String(tool))
  const isOwners = request.identity.caller.kind === 'owner_session'
  const chosen = isOwners ? await readFlow(signIn, request, vault, flow_id) : undefined
  const policy = signIn.hub.rulesOf(vault).policy.value
  // What has changed since the page was shown, the owner has not seen: they decide about what they saw.
  const isOffered =
    chosen?.version === fieldOf(request, 'flow_version') &&
    chosen.shown === fieldOf(request, 'shown') &&
    tools.every((tool) => chosen.tools.includes(tool))
  const terms = {
    flow_id,
    flow_version: fieldOf(request, 'flow_version'),
    tools,
    tools_digest: isOffered ? digestTools(policy, tools) : '',
    ttl_seconds,
    max_invocations: Number(fieldOf(request, 'max_invocations') || '0'),
    ...boundsIn(request),
  }
  const role = ROLES.find((one) => chosen && scopesOfRole(one).includes(chosen.scope)) ?? 'viewer'
  const refused = isOffered || !isOwners ? undefined : new Refusal('consent_changed')
  return { vault, input: { ...base, role, terms }, refused }
}

/** How the owner bounds the calls beside the policy; none where all three are left empty. */
function boundsIn(request: FastifyRequest): { bounds?: object } {
  const given = BOUND_FIELDS.map(([name]) => [name, fieldOf(request, name)] as const).filter(
    ([, text]) => text !== '',
  )
  return given.length === 0
    ? {}
    : { bounds: Object.fromEntries(given.map(([name, text]) => [name, Number(text)])) }
}

function addressShown({ address }: Waiting): string {
  return cutWord(address, 200)
}

type ShownFlow = NonNullable<ConsentVisit['chosen']> & { readonly scope: FlowBundle['flow']['scope'] }

/** The newest version of a flow, with the tools of it that the policy allows. */
async function readFlow(
  { hub }: SignIn,
  request: FastifyRequest,
  vault: string,
  flow_id: string,
): Promise<ShownFlow | undefined> {
  const answer = await askIn(hub, request, vault, flowExport, { flow_id })
  if (!answer.ok) return undefined
  const { flow, steps } = JSON.parse(answer.text) as FlowBundle
  const policy = hub.rulesOf(vault).policy.value
  const tools = offeredTools(steps, policy)
  const described = tools.map((tool) => requireAllowedTool(policy, tool))
  const { version, title, scope } = flow
  return { flow_id, version, title, scope, tools, described, shown: digestTools(policy, tools) }
}

async function show(
  signIn: SignIn,
  registry: Registry,
  request: FastifyRequest,
  reply: FastifyReply,
  waiting: Waiting,
  refused?: Answer,
): Promise<FastifyReply> {
  const { hub } = signIn
  const wish = await findWish(signIn, waiting, refused)
  const page = vaultOfPage(request, wish?.vault_id)
  const { vault } = page
  const gate = shownGate(hub, vault, 'FLOW_EXTERNAL_AGENT_ENABLED')
  const listed = await askIn(hub, request, vault, flowList, {})
  const wished = wish?.vault_id === vault ? wish : undefined
  const flow_id = fieldOf(request, 'flow_id') || (queryOf(request, 'flow') ?? wished?.flow_id)
  const policy = hub.rulesOf(vault).policy.value
  const visit: ConsentVisit = {
    waiting,
    vault,
    gate,
    form_token: formToken(hub, request, reply),
    flows: listed.ok ? (JSON.parse(listed.text) as Pick<ConsentVisit, 'flows'>).flows : [],
    chosen: gate.open && flow_id !== undefined ? await readFlow(signIn, request, vault, flow_id) : undefined,
    terms: grantTerms(policy),
    bounds: budgetWords(policy.external_agent ?? {}),
    toolsOf: (role) => toolsOf(registry, role),
    label: cutWord(waiting.client_name, LABEL_CHARS),
    wish: wished,
  }
  return sendPage(reply, refused?.status ?? 200, {
    title: 'Let this program in?',
    lead: 'It asks to use this hub over MCP. Decide what it may do; you can take that back at any time.',
    fault: refused ? chosenFault(refused) : page.fault,
    body: consentView(visit),
    wide: true,
    signed_in: true,
    form_action: waiting.redirect_uri === undefined ? '' : formActionOf(waiting.redirect_uri),
  })
}

/** What will not do in a form, in words for whoever filled it in. */
const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/^terms\.tools\b/, 'Tick at least one tool: without any there is nothing to allow.'],
  [/^terms\.(bounds|max_invocations)\b/, 'Uses and bounds are whole numbers; a bound is 1 at least.'],
  [/^label\b/, 'Give the program a name, of 64 characters at most.'],
]

function chosenFault(refused: Answer): string {
  const text = faultOf(refused)
  return FAULTS.find(([pattern]) => pattern.test(text))?.[1] ?? text
}

/** What was refused is chosen anew; and what was meant for a program of this machine is ticked for no server elsewhere. */
async function findWish({ hub }: SignIn, { redirect_uri }: Waiting, refused: Answer | undefined) {
  const isHere = redirect_uri !== undefined && !redirect_uri.startsWith('https:')
  return isHere && !refused ? findConsentWish(hub.db, hub.system.now()) : undefined
}

/**
 * Where the answer of the form may lead: to this request's own address and to no other. A policy has no words for a host
 * in brackets; a browser that met one would hold the answer back.
 */
function formActionOf(redirect_uri: string): string {
  const { protocol, origin, hostname } = new URL(redirect_uri)
  if (hostname.startsWith('[')) return protocol
  return protocol === 'http:' || protocol === 'https:' ? origin : protocol
}

/** What a member with this role is offered over MCP. */
function toolsOf(registry: Registry, role: Role): string[] {
  const kind = 'membership' as const
  const caller = mcpClientCaller({ consent_id: '-', kind, role, vault_id: '-', grant_id: null }, 'browser')
  return [...registry.values()]
    .filter(({ mcp, authority }) => mcp && hasAuthority(authority, caller))
    .map(({ name }) => name)
}
