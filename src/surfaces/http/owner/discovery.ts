import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { controlDocument } from '../../../domains/control/control-document.ts'
import type { Hub } from '../../../operations/hub.ts'
import { DEVICE_GRANT } from '../oauth/check-request.ts'
import { addClientDocument, addMcpMetadata, signInMetadata } from '../oauth/metadata.ts'
import { RESOURCE_METADATA } from '../operation-call.ts'
import { pageOrigin } from './owner-oauth.ts'

const WARNING =
  'An owner agent acts in the name of the owner. Keep its bearer out of prompts, logs and repositories; it is refused at /mcp.'

/** How programs learn what this hub is and how to become an owner agent (RFC 9728, RFC 8414). */
export function addOwnerDiscovery(app: FastifyInstance, hub: Hub): void {
  app.route({ method: 'GET', url: RESOURCE_METADATA, handler: (request) => resourceMetadata(hub, request) })
  app.route({
    method: 'GET',
    url: '/.well-known/oauth-authorization-server',
    handler: (request, reply) => serverMetadata(hub, request, reply),
  })
  addMcpMetadata(app)
  addClientDocument(app, hub)
}

async function resourceMetadata(hub: Hub, request: FastifyRequest): Promise<object> {
  const { origin, pinned } = request.identity
  return {
    resource: origin,
    resource_name: 'Knowtation',
    bearer_methods_supported: ['header'],
    ...(!pinned && { authorization_servers: [origin], scopes_supported: ['owner'] }),
    ...(await onboardingOf(hub, request)),
  }
}

async function serverMetadata(hub: Hub, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { origin: issuer, pinned } = request.identity
  if (pinned) return reply.callNotFound()
  return {
    issuer,
    device_authorization_endpoint: `${issuer}/oauth/device_authorization`,
    token_endpoint: `${issuer}/oauth/token`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    ...signInMetadata(hub, issuer),
    grant_types_supported: ['authorization_code', 'refresh_token', DEVICE_GRANT],
    token_endpoint_auth_methods_supported: ['none'],
    scopes_supported: ['mcp', 'owner'],
  }
}

/** The block that invites owner agents. Under hosted names there is none: they could not sign in there. */
export async function onboardingOf(hub: Hub, request: FastifyRequest): Promise<object> {
  const { origin, pinned } = request.identity
  if (pinned) return {}
  return {
    pdpp_owner_agent_onboarding: {
      advisory: true,
      profile: 'trusted_owner_agent',
      pdpp_token_kind: 'owner',
      resource: origin,
      authorization_server: origin,
      device_authorization_endpoint: `${origin}/oauth/device_authorization`,
      owner_approval_url: `${pageOrigin(request)}/device`,
      token_endpoint: `${origin}/oauth/token`,
      introspection_endpoint: `${origin}/oauth/introspect`,
      revocation_endpoint: `${origin}/oauth/revoke`,
      revocation_path_template: '/v1/owner/agents/{agent_id}',
      control_surface: await controlDocument(hub, origin),
      mcp_owner_bearer_rejected: true,
      warning: WARNING,
    },
  }
}
