import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ownerPasskeyRemove } from '../../../domains/control/owner/passkeys.ts'
import { ownerPasswordChange } from '../../../domains/control/owner/password-change.ts'
import { ownerSignOut, ownerSignOutEverywhere } from '../../../domains/control/owner/sign-out.ts'
import type { Operation } from '../../../operations/define-operation.ts'
import type { Hub } from '../../../operations/hub.ts'
import type { Answer } from '../../../operations/run-operation.ts'
import { sendAnswer } from '../operation-routes.ts'
import { setCookie } from './owner-cookies.ts'
import { fieldOf, formToken, runForm } from './owner-forms.ts'
import { keepSession } from './sign-in-pages.ts'

const SETTINGS = '/console/settings'
const ALSO = ['passkeys', 'agents', 'tokens'] as const

/**
 * What changes how the owner is known. The console asks for it here and not at the operations' own routes, since the answer
 * is a cookie that no script reads.
 */
export function addAccountRoutes(pages: FastifyInstance, hub: Hub): void {
  // Only a page of ours can read it, and who is not signed in gets none.
  pages.get('/owner/form-token', (request, reply) =>
    request.identity.caller.kind === 'owner_session'
      ? reply.send({ form_token: formToken(hub, request, reply) })
      : reply.code(401).send({ error: 'Sign in first.', code: 'UNAUTHENTICATED' }),
  )
  addRoute(pages, hub, '/owner/sign-out', ownerSignOut, () => ({}), leave)
  addRoute(pages, hub, '/owner/sign-out-everywhere', ownerSignOutEverywhere, provenInput, leave)
  addRoute(
    pages,
    hub,
    '/owner/password',
    ownerPasswordChange,
    (request) => ({ password: fieldOf(request, 'password'), ...provenInput(request) }),
    (request, reply, answer) => {
      keepSession(request, reply, answer)
      return reply.redirect(SETTINGS, 303)
    },
  )
  addRoute(
    pages,
    hub,
    '/owner/passkey/remove',
    ownerPasskeyRemove,
    (request) => ({ passkey_id: fieldOf(request, 'passkey_id'), ...currentIn(request) }),
    (_request, reply) => reply.redirect(`${SETTINGS}?tab=passkeys`, 303),
  )
}

function leave(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('set-cookie', setCookie('owner', '', request.identity.origin, 0))
  return reply.redirect('/owner/sign-in?told=out', 303)
}

function addRoute(
  pages: FastifyInstance,
  hub: Hub,
  path: string,
  operation: Operation,
  inputOf: (request: FastifyRequest) => object,
  done: (request: FastifyRequest, reply: FastifyReply, answer: Answer) => FastifyReply,
): void {
  pages.post(path, async (request, reply) => {
    const answer = await runForm(hub, request, reply, operation, inputOf(request))
    return answer.ok ? done(request, reply, answer) : sendAnswer(reply, answer, operation)
  })
}

/** What is to be thrown away, too, and the password, which a sign-in long ago makes necessary. */
function provenInput(request: FastifyRequest): object {
  const also = ALSO.filter((what) => fieldOf(request, what) !== '').map((what) => [what, true])
  return { ...Object.fromEntries(also), ...currentIn(request) }
}

function currentIn(request: FastifyRequest): { current?: string } {
  const current = fieldOf(request, 'current')
  return current === '' ? {} : { current }
}
