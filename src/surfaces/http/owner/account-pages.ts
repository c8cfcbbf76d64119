import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ownerAgentRevoke } from '../../../domains/control/owner/agents.ts'
import { showAgent } from '../../../domains/control/owner/owner-schemas.ts'
import { ownerPasskeyRemove } from '../../../domains/control/owner/passkeys.ts'
import { ownerPasswordChange } from '../../../domains/control/owner/password-change.ts'
import type { Also } from '../../../domains/control/owner/recovery.ts'
import { ownerSignOut, ownerSignOutEverywhere } from '../../../domains/control/owner/sign-out.ts'
import type { Operation } from '../../../operations/define-operation.ts'
import type { Hub } from '../../../operations/hub.ts'
import { listOwnerAgents } from '../../../platform/identity/owner-agents.ts'
import { listPasskeys } from '../../../platform/identity/owner-passkeys.ts'
import { findOwnerSession, isRecent, listOwnerSessions } from '../../../platform/identity/owner-sessions.ts'
import { sendAnswer } from '../operation-routes.ts'
import { setCookie } from './owner-cookies.ts'
import { faultOf, fieldOf, formToken, runForm } from './owner-forms.ts'
import { keepSession } from './sign-in-pages.ts'
import { accountView } from './views/account-view.ts'
import { sendPage } from './views/page-layout.ts'

const LIST_LIMIT = 100

/** What the account page says after something was done. */
const TOLD: Readonly<Record<string, string>> = {
  welcome: 'The hub is yours. Add a passkey below if you like.',
  password: 'The password is changed. Every other browser is signed out.',
  passkey: 'The passkey is added.',
  removed: 'The passkey is removed.',
  thrown: 'Every other browser is signed out, and open links count no more.',
  revoked: 'The agent is revoked. Its next call is refused.',
}

/** The owner's account: agents, passkeys, password, sessions. */
export function addAccountPages(pages: FastifyInstance, hub: Hub): void {
  pages.get('/owner', (request, reply) => showAccount(hub, request, reply, 200))
  // Only a page of ours can read it: the console asks for it before it changes what proves the owner.
  pages.get('/owner/form-token', (request, reply) =>
    request.identity.caller.kind === 'owner_session'
      ? reply.send({ form_token: formToken(hub, request, reply) })
      : reply.code(401).send({ error: 'Sign in first.', code: 'UNAUTHENTICATED' }),
  )
  addSignOut(pages, hub, '/owner/sign-out', ownerSignOut)
  addSignOut(pages, hub, '/owner/sign-out-everywhere', ownerSignOutEverywhere)
  addAct(pages, hub, '/owner/agents/revoke', ownerAgentRevoke, 'agent_id', 'revoked')
  addAct(pages, hub, '/owner/passkey/remove', ownerPasskeyRemove, 'passkey_id', 'removed')
  pages.post('/owner/password', async (request, reply) => {
    const current = fieldOf(request, 'current')
    const password = fieldOf(request, 'password')
    const input = { current, password, ...alsoIn(request) }
    const answer = await runForm(hub, request, reply, ownerPasswordChange, input)
    if (!answer.ok && isProgram(request)) return sendAnswer(reply, answer, ownerPasswordChange)
    if (!answer.ok) return showAccount(hub, request, reply, answer.status, faultOf(answer))
    keepSession(request, reply, answer)
    return reply.redirect('/owner?told=password', 303)
  })
}

function addSignOut(pages: FastifyInstance, hub: Hub, path: string, operation: Operation): void {
  pages.post(path, async (request, reply) => {
    const input = operation === ownerSignOutEverywhere ? { ...alsoIn(request), ...currentIn(request) } : {}
    const answer = await runForm(hub, request, reply, operation, input)
    if (!answer.ok && isProgram(request)) return sendAnswer(reply, answer, operation)
    if (!answer.ok) return showAccount(hub, request, reply, answer.status, faultOf(answer))
    reply.header('set-cookie', setCookie('owner', '', request.identity.origin, 0))
    return reply.redirect('/owner/sign-in?told=out', 303)
  })
}

function addAct(
  pages: FastifyInstance,
  hub: Hub,
  path: string,
  operation: Operation,
  field: string,
  told: string,
): void {
  pages.post(path, async (request, reply) => {
    const input = { [field]: fieldOf(request, field), ...currentIn(request) }
    const answer = await runForm(hub, request, reply, operation, input)
    if (!answer.ok && isProgram(request)) return sendAnswer(reply, answer, operation)
    if (!answer.ok) return showAccount(hub, request, reply, answer.status, faultOf(answer))
    return reply.redirect(`/owner?told=${told}`, 303)
  })
}

function isProgram({ headers }: FastifyRequest): boolean {
  return headers['content-type']?.startsWith('application/json') === true
}

/** What is to be thrown away, too, as the boxes of a form say. */
function alsoIn(request: FastifyRequest): Also {
  return Object.fromEntries(
    ['passkeys', 'agents', 'tokens']
      .filter((what) => fieldOf(request, what) !== '')
      .map((what) => [what, true]),
  )
}

/** The password that a form asked for where the sign-in was long ago. */
function currentIn(request: FastifyRequest): { current?: string } {
  const current = fieldOf(request, 'current')
  return current === '' ? {} : { current }
}

async function showAccount(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  fault?: string,
): Promise<FastifyReply> {
  const { caller } = request.identity
  if (caller.kind !== 'owner_session') return reply.redirect('/owner/sign-in', 303)
  const now = hub.system.now()
  const [session, agents, passkeys, sessions] = await Promise.all([
    findOwnerSession(hub.db, caller.id),
    listOwnerAgents(hub.db, LIST_LIMIT),
    listPasskeys(hub.db),
    listOwnerSessions(hub.db, now, LIST_LIMIT),
  ])
  const { told } = request.query as { told?: string }
  const body = accountView({
    form_token: formToken(hub, request, reply),
    agents: agents.map((agent) => showAgent(agent, now)),
    passkeys,
    sessions: sessions.map((one) => ({ ...one, current: one.session_id === caller.id })),
    needs_current: !session || session.method === 'password' || !isRecent(session, now),
    is_recent: session !== undefined && isRecent(session, now),
  })
  const happened = typeof told === 'string' && Object.hasOwn(TOLD, told) ? TOLD[told] : undefined
  const lead = 'Who may act here in your name, and how you show that you are you.'
  const parts = { title: 'Your hub', lead, told: fault ? undefined : happened, fault, body }
  return sendPage(reply, status, { ...parts, wide: true, signed_in: true })
}
