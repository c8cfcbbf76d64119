import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ownerLinkSignIn, ownerPasswordSignIn, ownerSetUp } from '../../domains/control/owner/sign-in.ts'
import { COMMON_ERRORS, type CommonCode } from '../../operations/errors.ts'
import type { Hub } from '../../operations/hub.ts'
import type { Answer } from '../../operations/run-operation.ts'
import { findOwner } from '../../platform/identity/owner-account.ts'
import { isLiveLink } from '../../platform/identity/owner-links.ts'
import { listPasskeys } from '../../platform/identity/owner-passkeys.ts'
import { ABSOLUTE_SECONDS } from '../../platform/identity/owner-sessions.ts'
import { findUserCode } from '../../platform/identity/owner-user-code.ts'
import { addAccountPages } from './owner-account-pages.ts'
import { addActivityPages } from './owner-activity-pages.ts'
import { addCallbackPages } from './owner-callback-pages.ts'
import { addConnectionPages } from './owner-connection-pages.ts'
import { setCookie } from './owner-cookies.ts'
import { addDevicePages } from './owner-device-pages.ts'
import { addExternalAgentPages } from './owner-external-agent-pages.ts'
import { addFormReader, faultOf, fieldOf, formToken, runForm } from './owner-forms.ts'
import { html } from './owner-html.ts'
import { addIntentPages } from './owner-intent-pages.ts'
import { sendPage } from './owner-layout.ts'
import { addLockPages } from './owner-lock-pages.ts'
import { addPasskeyRoutes } from './owner-passkey-routes.ts'
import { addProposalPages } from './owner-proposal-pages.ts'
import { addRunPages } from './owner-run-pages.ts'
import { OWNER_SCRIPT } from './owner-script.ts'
import { OWNER_STYLE } from './owner-style.ts'
import { addUploadReader } from './owner-uploads.ts'
import { findPlace, linkForm, placeAfter, setUpForm, signInForm } from './owner-views.ts'

/** The pages on which the owner sets up, signs in and decides. They are on loopback only. */
export function addOwnerPages(app: FastifyInstance, hub: Hub): void {
  app.register(async (pages) => {
    addFormReader(pages)
    addUploadReader(pages)
    pages.addHook('onRequest', async (request, reply) => {
      const { refused, hosted } = request.identity
      const code = (refused?.code as CommonCode | undefined) ?? (hosted ? 'NOT_FOUND' : undefined)
      if (code === undefined || (refused && request.method === 'POST')) return
      const { status, message } = COMMON_ERRORS[code]
      return reply.code(status).type('application/json; charset=utf-8').send({ error: message, code })
    })
    pages.get('/owner/style.css', (_request, reply) =>
      reply.type('text/css; charset=utf-8').send(OWNER_STYLE),
    )
    pages.get('/owner/script.js', (_request, reply) =>
      reply.type('text/javascript; charset=utf-8').send(OWNER_SCRIPT),
    )
    addSignInPages(pages, hub)
    addAccountPages(pages, hub)
    addDevicePages(pages, hub)
    addPasskeyRoutes(pages, hub)
    addConnectionPages(pages, hub)
    addIntentPages(pages, hub)
    addRunPages(pages, hub)
    addActivityPages(pages, hub)
    addLockPages(pages, hub)
    addCallbackPages(pages, hub)
    addProposalPages(pages, hub)
    addExternalAgentPages(pages, hub)
    // A person who typed an address wrongly sees a page; a program gets the code that it gets everywhere.
    pages.get('/owner/*', (request, reply) =>
      request.headers.accept?.includes('text/html') ? showNothing(request, reply) : reply.callNotFound(),
    )
  })
}

function addSignInPages(pages: FastifyInstance, hub: Hub): void {
  pages.get('/owner/sign-in', (request, reply) => showSignIn(hub, request, reply, 200))
  pages.post('/owner/sign-in', async (request, reply) => {
    const answer = await runForm(hub, request, reply, ownerPasswordSignIn, {
      password: fieldOf(request, 'password'),
    })
    if (answer.ok) return enter(request, reply, answer)
    return showSignIn(hub, request, reply, answer.status, faultOf(answer))
  })
  pages.get('/owner/link', (request, reply) => showLink(hub, request, reply, 200, linkIn(request)))
  pages.post('/owner/link', async (request, reply) => {
    const link = fieldOf(request, 'link')
    const answer = await runForm(hub, request, reply, ownerLinkSignIn, { link })
    if (answer.ok) return enter(request, reply, answer)
    return showLink(hub, request, reply, answer.status, link, faultOf(answer))
  })
  pages.post('/owner/set-up', async (request, reply) => {
    const [link, password] = [fieldOf(request, 'link'), fieldOf(request, 'password')]
    if (password !== fieldOf(request, 'password_again'))
      return showLink(hub, request, reply, 400, link, 'The two passwords are not the same.')
    const answer = await runForm(hub, request, reply, ownerSetUp, { link, password })
    if (answer.ok) return enter(request, reply, answer, '/owner?told=welcome')
    return showLink(hub, request, reply, answer.status, link, faultOf(answer))
  })
}

/** Puts the new session into the browser; the former cookie counts no more. */
export function keepSession(request: FastifyRequest, reply: FastifyReply, answer: Answer): void {
  const { bearer } = JSON.parse(answer.text) as { bearer: string }
  reply.header('set-cookie', setCookie('owner', bearer, request.headers.host, ABSOLUTE_SECONDS))
}

function enter(request: FastifyRequest, reply: FastifyReply, answer: Answer, place?: string): FastifyReply {
  keepSession(request, reply, answer)
  const user_code = findUserCode(fieldOf(request, 'user_code'))
  const wanted = findPlace(fieldOf(request, 'place'))
  return reply.redirect(place ?? placeAfter({ user_code, place: wanted }), 303)
}

function linkIn({ query }: FastifyRequest): string {
  const { link } = query as { link?: unknown }
  return typeof link === 'string' ? link : ''
}

/** The code with which somebody came, if it can be one. */
export function codeIn({ query }: FastifyRequest): string | undefined {
  const { user_code } = query as { user_code?: unknown }
  return typeof user_code === 'string' ? findUserCode(user_code) : undefined
}

/** Shows the way in. Whoever follows a link of another site comes without cookies, and may only have to go on. */
export async function showSignIn(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  fault?: string,
): Promise<FastifyReply> {
  if (!(await findOwner(hub.db))) return showNotSetUp(reply, status)
  const user_code = findUserCode(fieldOf(request, 'user_code')) ?? codeIn(request)
  const has_passkeys = isNamed(request) && (await listPasskeys(hub.db)).length > 0
  const place = findPlace(fieldOf(request, 'place')) ?? findPlace(request.url.replace(/\?.*$/s, ''))
  const { told } = request.query as { told?: unknown }
  const body = signInForm({ form_token: formToken(hub, request, reply), user_code, place, has_passkeys })
  const isFromElsewhere = ['cross-site', 'same-site'].includes(String(request.headers['sec-fetch-site']))
  const goOn = html`<p class="note">Signed in already? <a href="${placeAfter({ user_code, place })}">Go on</a>.</p>`
  return sendPage(reply, status, {
    title: 'Sign in',
    lead:
      user_code === undefined
        ? 'This hub is yours once you show that you are its owner.'
        : `To decide about the agent that shows ${user_code}.`,
    fault,
    told: fault === undefined && told === 'out' ? 'You are signed out.' : undefined,
    body: isFromElsewhere && status === 200 ? html`${body}${goOn}` : body,
  })
}

/** The sign-in in place of a page that is the owner's; what a form asked for without a session is told as refused. */
export function showSignInFirst(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  fault?: string,
): Promise<FastifyReply> {
  return showSignIn(hub, request, reply, status === 200 ? 200 : 401, fault)
}

function showNothing(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendPage(reply, 404, {
    title: 'Nothing here',
    lead: 'There is no page at this address.',
    body: html`<p class="plain"><a href="/owner">Your hub</a></p>`,
    signed_in: request.identity.caller.kind === 'owner_session',
  })
}

function showNotSetUp(reply: FastifyReply, status: number): FastifyReply {
  return sendPage(reply, status, {
    title: 'Not set up yet',
    lead: 'Nobody owns this hub so far.',
    body: html`<div class="card plain">Run <code>knowtation owner login</code> where the hub runs, and open the link that it prints.</div>`,
  })
}

async function showLink(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  link: string,
  fault?: string,
): Promise<FastifyReply> {
  if (!(await isLiveLink(hub.db, link, hub.system.now()))) {
    const body = html`<div class="card plain">Links work once, and for 15 minutes. <code>knowtation owner login</code> prints a new one; or <a href="/owner/sign-in">sign in</a>.</div>`
    return sendPage(reply, status === 200 ? 401 : status, { title: 'This link is over', body })
  }
  const form_token = formToken(hub, request, reply)
  if (await findOwner(hub.db))
    return sendPage(reply, status, { title: 'Sign in', fault, body: linkForm(form_token, link) })
  const lead = 'Choose a password: with it you approve agents, and see and stop what they do.'
  return sendPage(reply, status, { title: 'Set up your hub', lead, fault, body: setUpForm(form_token, link) })
}

/** Whether the page was opened under a name: passkeys cannot be bound to an address. */
export function isNamed({ headers }: FastifyRequest): boolean {
  return /^localhost(:\d+)?$/i.test(headers.host ?? '')
}
