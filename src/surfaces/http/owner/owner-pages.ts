import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { COMMON_ERRORS, type CommonCode } from '../../../operations/errors.ts'
import type { Registry } from '../../../operations/registry.ts'
import { addConsole } from '../console/console-files.ts'
import { addConsentPages } from '../oauth/consent-pages.ts'
import { addAuthorization, type SignIn } from '../oauth/oauth-routes.ts'
import { addAccountRoutes } from './account-routes.ts'
import { addNewBearerPages } from './bearers/new-bearer-pages.ts'
import { addCallbackPages } from './callback-pages.ts'
import { addDevicePages } from './device-pages.ts'
import { addExternalAgentPages } from './external-agent-pages.ts'
import { addFormerPages } from './former-pages.ts'
import { addFormReader } from './owner-forms.ts'
import { addPasskeyRoutes } from './passkey-routes.ts'
import { addPresencePages } from './presence-pages.ts'
import { addSignInPages } from './sign-in-pages.ts'
import { addSubscriptionPages } from './subscription-pages.ts'
import { html } from './views/html.ts'
import { sendPage } from './views/page-layout.ts'
import { OWNER_SCRIPT } from './views/page-script.ts'
import { OWNER_STYLE } from './views/page-style.ts'

/**
 * The ceremonies of the owner, which run without the console: setting up, signing in, letting programs in, and what shows a
 * bearer once. And the console itself. They are on loopback and under the public name.
 */
export function addOwnerPages(app: FastifyInstance, signIn: SignIn, registry: Registry): void {
  const { hub } = signIn
  app.register(async (pages) => {
    addFormReader(pages)
    pages.addHook('onRequest', async (request, reply) => {
      const { refused, pinned } = request.identity
      const code = (refused?.code as CommonCode | undefined) ?? (pinned ? 'NOT_FOUND' : undefined)
      if (code === undefined || (refused && request.method === 'POST')) return
      const { status, message } = COMMON_ERRORS[code]
      return reply.code(status).type('application/json; charset=utf-8').send({ error: message, code })
    })
    pages.addHook('preHandler', async (request) => {
      if (request.identity.caller.kind === 'owner_session') request.stopped = await hub.locks.find(undefined)
    })
    pages.get('/owner/style.css', (_request, reply) =>
      reply.type('text/css; charset=utf-8').send(OWNER_STYLE),
    )
    pages.get('/owner/script.js', (_request, reply) =>
      reply.type('text/javascript; charset=utf-8').send(OWNER_SCRIPT),
    )
    addSignInPages(pages, hub)
    addAccountRoutes(pages, hub)
    addDevicePages(pages, hub)
    addPasskeyRoutes(pages, hub)
    addSubscriptionPages(pages, hub)
    addPresencePages(pages, hub)
    addCallbackPages(pages, hub)
    addAuthorization(pages, signIn)
    addConsentPages(pages, signIn, registry)
    addExternalAgentPages(pages, hub)
    addFormerPages(pages)
    addNewBearerPages(pages, hub, registry)
    addConsole(pages, hub)
    // A person who typed an address wrongly sees a page; a program gets the code that it gets everywhere.
    pages.get('/owner/*', (request, reply) =>
      request.headers.accept?.includes('text/html') ? showNothing(request, reply) : reply.callNotFound(),
    )
  })
}

function showNothing(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendPage(reply, 404, {
    title: 'Nothing here',
    lead: 'There is no page at this address.',
    body: html`<p class="plain"><a href="/console">The console</a></p>`,
    signed_in: request.identity.caller.kind === 'owner_session',
  })
}
