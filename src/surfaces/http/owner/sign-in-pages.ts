import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  ownerLinkSignIn,
  ownerPasswordHandOver,
  ownerPasswordSignIn,
  ownerSetUp,
} from '../../../domains/control/owner/sign-in.ts'
import { Refusal } from '../../../operations/errors.ts'
import type { Hub } from '../../../operations/hub.ts'
import type { Answer } from '../../../operations/run-operation.ts'
import { findOwner } from '../../../platform/identity/owner-account.ts'
import { isLiveLink } from '../../../platform/identity/owner-links.ts'
import { listPasskeys } from '../../../platform/identity/owner-passkeys.ts'
import { ABSOLUTE_SECONDS } from '../../../platform/identity/owner-sessions.ts'
import { findUserCode } from '../../../platform/identity/owner-user-code.ts'
import { setCookie } from './owner-cookies.ts'
import { faultOf, fieldOf, formToken, runForm } from './owner-forms.ts'
import { html } from './views/html.ts'
import { onwards, sendPage } from './views/page-layout.ts'
import { findPlace, linkForm, placeAfter, setUpForm, signInForm } from './views/sign-in-view.ts'

/** Sets up, signs in, and follows one-time links: the pages for whoever has yet to show that they are the owner. */
export function addSignInPages(pages: FastifyInstance, hub: Hub): void {
  pages.get('/owner/sign-in', (request, reply) => showSignIn(hub, request, reply, 200))
  pages.post('/owner/sign-in', async (request, reply) => {
    const input = { password: fieldOf(request, 'password') }
    if (!request.identity.named) return handOver(hub, request, reply, input)
    const answer = await runForm(hub, request, reply, ownerPasswordSignIn, input)
    if (answer.ok) return enter(request, reply, answer)
    return showSignIn(hub, request, reply, answer.status, faultOf(answer))
  })
  pages.get('/owner/link', (request, reply) => showLink(hub, request, reply, 200, linkIn(request)))
  pages.post('/owner/link', async (request, reply) => {
    const link = fieldOf(request, 'link')
    const refused = notNamed(request)
    const answer = await runForm(hub, request, reply, ownerLinkSignIn, { link }, { refused })
    if (answer.ok) return enter(request, reply, answer)
    return showLink(hub, request, reply, answer.status, link, faultOf(answer))
  })
  pages.post('/owner/set-up', async (request, reply) => {
    const [link, password] = [fieldOf(request, 'link'), fieldOf(request, 'password')]
    const isSame = password === fieldOf(request, 'password_again')
    const refused = notNamed(request) ?? (isSame ? undefined : DIFFERENT)
    const answer = await runForm(hub, request, reply, ownerSetUp, { link, password }, { refused })
    if (answer.ok) return enter(request, reply, answer, '/console')
    return showLink(hub, request, reply, answer.status, link, faultOf(answer))
  })
}

const DIFFERENT = new Refusal('weak_password', 'The two passwords are not the same.')

/** A session that began under another name would be sent to every server of this machine. */
export function notNamed({ identity }: FastifyRequest): Refusal | undefined {
  return identity.named ? undefined : new Refusal('HOST_DENIED')
}

/** The address of the owner's pages, for a browser that reached the hub as this request did. */
export function ownOrigin({ ownerName = '' }: Hub, { headers }: FastifyRequest): string {
  return `http://${ownerName}${/:\d+$/.exec(headers.host ?? '')?.[0] ?? ''}`
}

/** Under another name than their own the owner's pages keep no session: the right password leads to where they do. */
async function handOver(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  input: { password: string },
): Promise<FastifyReply> {
  const answer = await runForm(hub, request, reply, ownerPasswordHandOver, input)
  if (!answer.ok) return showSignIn(hub, request, reply, answer.status, faultOf(answer))
  const { link } = JSON.parse(answer.text) as { link: string }
  const { user_code, place } = visitOf(request)
  const query = { link, ...(user_code && { user_code }), ...(place && { place }) }
  const url = `${ownOrigin(hub, request)}/owner/link?${new URLSearchParams(query)}`
  // A redirect after a form would not do: browsers let forms lead to pages of the same name alone.
  const body = onwards(url, 'On to the address of your pages. One moment.', 'Go on')
  return sendPage(reply, 200, { title: 'Almost there', body, onwards: url })
}

interface Visit {
  readonly user_code: string | undefined
  readonly place: string | undefined
}

/** What somebody came for, as a form or an address of ours says. */
function visitOf(request: FastifyRequest): Visit {
  const { place } = request.query as { place?: unknown }
  return {
    user_code: findUserCode(fieldOf(request, 'user_code')) ?? codeIn(request),
    place: findPlace(fieldOf(request, 'place')) ?? (typeof place === 'string' ? findPlace(place) : undefined),
  }
}

/** Puts the new session into the browser; the former cookie counts no more. */
export function keepSession(request: FastifyRequest, reply: FastifyReply, answer: Answer): void {
  const { bearer } = JSON.parse(answer.text) as { bearer: string }
  reply.header('set-cookie', setCookie('owner', bearer, request.identity.origin, ABSOLUTE_SECONDS))
}

function enter(request: FastifyRequest, reply: FastifyReply, answer: Answer, place?: string): FastifyReply {
  keepSession(request, reply, answer)
  return reply.redirect(place ?? placeAfter(visitOf(request)), 303)
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
  const { named, origin } = request.identity
  const { user_code, place = findPlace(request.url) ?? findPlace(request.url.replace(/\?.*$/s, '')) } =
    visitOf(request)
  const has_passkeys = named && (await listPasskeys(hub.db)).some((passkey) => passkey.origin === origin)
  const { told } = request.query as { told?: unknown }
  const body = signInForm({ form_token: formToken(hub, request, reply), user_code, place, has_passkeys })
  const isFromElsewhere = ['cross-site', 'same-site'].includes(String(request.headers['sec-fetch-site']))
  const goOn = html`<p class="note">Signed in already? <a href="${placeAfter({ user_code, place })}">Go on</a>.</p>`
  return sendPage(reply, status, {
    title: 'Sign in',
    lead: leadOf(user_code, place),
    fault,
    told: fault === undefined && told === 'out' ? 'You are signed out.' : undefined,
    body: html`${body}${named ? isFromElsewhere && status === 200 && goOn : ELSEWHERE}`,
  })
}

/** Why somebody is to sign in: a program may have sent them. */
function leadOf(user_code: string | undefined, place: string | undefined): string {
  if (user_code !== undefined) return `To decide about the program that shows ${user_code}.`
  return place?.startsWith('/oauth/consent/')
    ? 'A program asks to come in. Sign in as the owner: the next page says which, and you decide what it may do.'
    : 'This hub is yours once you show that you are its owner.'
}

const ELSEWHERE = html`<p class="note">Your pages have an address of their own, to which the password leads from here. Keep it as a bookmark: there you stay signed in, and can use a passkey.</p>`

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
  if (!request.identity.named) return leadOver(hub, request, reply, status, fault)
  const form_token = formToken(hub, request, reply)
  if (await findOwner(hub.db))
    return sendPage(reply, status, {
      title: 'Sign in',
      fault,
      body: linkForm(form_token, link, visitOf(request)),
    })
  const lead = 'Choose a password: with it you approve agents, and see and stop what they do.'
  return sendPage(reply, status, { title: 'Set up your hub', lead, fault, body: setUpForm(form_token, link) })
}

/** Who brings a link that counts is the owner, and hears where the owner's pages are. */
function leadOver(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  fault: string | undefined,
): FastifyReply {
  if (request.method === 'GET') return reply.redirect(`${ownOrigin(hub, request)}${request.url}`, 303)
  const body = html`<div class="card plain">Open the link once more, at the address that <code>knowtation owner login</code> printed.</div>`
  return sendPage(reply, status, { title: 'Not here', fault, body })
}
