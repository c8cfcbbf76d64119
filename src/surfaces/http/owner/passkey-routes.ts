import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  ownerPasskeyAdd,
  ownerPasskeyChallenge,
  ownerPasskeyRegisterChallenge,
  ownerPasskeySignIn,
} from '../../../domains/control/owner/passkeys.ts'
import type { Operation } from '../../../operations/define-operation.ts'
import type { Hub } from '../../../operations/hub.ts'
import { sendAnswer } from '../operation-routes.ts'
import { fieldsOf, runForm } from './owner-forms.ts'
import { keepSession, notNamed } from './sign-in-pages.ts'

/** What the owner's script asks for: passkeys are between the browser and the hub. */
export function addPasskeyRoutes(pages: FastifyInstance, hub: Hub): void {
  addRoute(pages, hub, '/owner/passkey/challenge', ownerPasskeyChallenge)
  addRoute(pages, hub, '/owner/passkey/register-challenge', ownerPasskeyRegisterChallenge)
  addRoute(pages, hub, '/owner/passkey/register', ownerPasskeyAdd)
  pages.post('/owner/passkey/sign-in', async (request, reply) => {
    const answer = await runForm(hub, request, reply, ownerPasskeySignIn, inputOf(request), {
      refused: notNamed(request),
    })
    if (!answer.ok) return sendAnswer(reply, answer, ownerPasskeySignIn)
    keepSession(request, reply, answer)
    return reply.code(200).send({ object: 'owner_sign_in' })
  })
}

function addRoute(pages: FastifyInstance, hub: Hub, path: string, operation: Operation): void {
  pages.post(path, async (request, reply) =>
    sendAnswer(
      reply,
      await runForm(hub, request, reply, operation, inputOf(request), { refused: notNamed(request) }),
      operation,
    ),
  )
}

/** The body without what only proves where it comes from. */
function inputOf(request: FastifyRequest): unknown {
  const { form_token: _, ...fields } = fieldsOf(request)
  return fields
}
