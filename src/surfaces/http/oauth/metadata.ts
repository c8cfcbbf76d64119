import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { documentAddress } from '../../../domains/control/authorization/ask-provider.ts'
import {
  CLIENT_DOCUMENT_PATH,
  describeClient,
} from '../../../domains/control/authorization/register-client.ts'
import { CALLBACK_PATH } from '../../../domains/control/intents/authorize-intent.ts'
import type { Hub } from '../../../operations/hub.ts'
import { MCP_METADATA } from '../operation-call.ts'

/** The address under which programs know the hub. Everything that names it in the sign-in asks here. */
export function baseOf({ identity }: FastifyRequest): string {
  return identity.origin
}

/** What `/mcp` is, and who gives out tokens for it (RFC 9728). */
export function addMcpMetadata(app: FastifyInstance): void {
  app.get(MCP_METADATA, async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.identity.pinned) return reply.callNotFound()
    const base = baseOf(request)
    return {
      resource: `${base}/mcp`,
      resource_name: 'Knowtation',
      authorization_servers: [base],
      scopes_supported: ['mcp'],
      bearer_methods_supported: ['header'],
    }
  })
}

/** Who the hub is, for providers that read it where the owner connects something (client-ID metadata document). */
export function addClientDocument(app: FastifyInstance, hub: Hub): void {
  const client_id = documentAddress(hub.config)
  if (client_id === undefined) return
  const homes = [String(hub.config.public_url), 'http://localhost', 'http://127.0.0.1']
  const document = {
    client_id,
    client_uri: hub.config.public_url,
    ...describeClient(homes.map((home) => `${home}${CALLBACK_PATH}`)),
    token_endpoint_auth_method: 'none',
  }
  app.get(CLIENT_DOCUMENT_PATH, async (request: FastifyRequest, reply: FastifyReply) =>
    request.identity.pinned ? reply.callNotFound() : document,
  )
}

/** What RFC 8414 has a program told of the browser flow, written by us: the library would take it from the Host. */
export function signInMetadata({ config }: Hub, issuer: string): object {
  return {
    authorization_endpoint: `${issuer}/oauth/authorize`,
    registration_endpoint: `${issuer}/oauth/register`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    // Programs that can would otherwise ask for it first, and wait.
    ...(config.mcp.client_metadata_hosts.length > 0 && { client_id_metadata_document_supported: true }),
  }
}
