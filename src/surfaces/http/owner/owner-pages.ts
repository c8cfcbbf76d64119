import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { COMMON_ERRORS, type CommonCode } from '../../../operations/errors.ts'
import type { Registry } from '../../../operations/registry.ts'
import { addConsole } from '../console/console-files.ts'
import { addConsentListPage } from '../oauth/consent-list-page.ts'
import { addConsentPages } from '../oauth/consent-pages.ts'
import { addAuthorization, type SignIn } from '../oauth/oauth-routes.ts'
import { addAccountPages } from './account-pages.ts'
import { addActivityPages } from './activity-pages.ts'
import { addApprovalPages } from './approval-pages.ts'
import { addNewBearerPages } from './bearers/new-bearer-pages.ts'
import { addCallbackPages } from './callback-pages.ts'
import { addConnectionPages } from './connection-pages.ts'
import { addDevicePages } from './device-pages.ts'
import { addExternalAgentPages } from './external-agent-pages.ts'
import { addIntentPages } from './intent-pages.ts'
import { addLockPages } from './lock-pages.ts'
import { addFormReader } from './owner-forms.ts'
import { addPasskeyRoutes } from './passkey-routes.ts'
import { addPresencePages } from './presence-pages.ts'
import { addProposalPages } from './proposal-pages.ts'
import { addRunPages } from './run-pages.ts'
import { addSignInPages } from './sign-in-pages.ts'
import { addSubscriptionPages } from './subscription-pages.ts'
import { addUploadReader } from './uploads.ts'
import { html } from './views/html.ts'
import { sendPage } from './views/page-layout.ts'
import { OWNER_SCRIPT } from './views/page-script.ts'
import { OWNER_STYLE } from './views/page-style.ts'

/** The pages on which the owner sets up, signs in and decides. They are on loopback and under the public name. */
export function addOwnerPages(app: FastifyInstance, signIn: SignIn, registry: Registry): void {
  const { hub } = signIn
  app.register(async (pages) => {
    addFormReader(pages)
    addUploadReader(pages)
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
    addAccountPages(pages, hub)
    addDevicePages(pages, hub)
    addPasskeyRoutes(pages, hub)
    addConnectionPages(pages, hub)
    addIntentPages(pages, hub)
    addRunPages(pages, hub)
    addActivityPages(pages, hub)
    addLockPages(pages, hub)
    addSubscriptionPages(pages, hub)
    addApprovalPages(pages, hub)
    addPresencePages(pages, hub)
    addCallbackPages(pages, hub)
    addAuthorization(pages, signIn)
    addConsentPages(pages, signIn, registry)
    addConsentListPage(pages, hub)
    addProposalPages(pages, hub)
    addExternalAgentPages(pages, hub)
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
    body: html`<p class="plain"><a href="/owner">Your hub</a></p>`,
    signed_in: request.identity.caller.kind === 'owner_session',
  })
}
