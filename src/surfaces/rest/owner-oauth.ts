import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ownerTokenIntrospect, ownerTokenRevoke } from '../../domains/control/owner/agents.ts'
import { ownerDeviceRequest } from '../../domains/control/owner/device.ts'
import { exchangeDeviceCode } from '../../domains/control/owner/device-token.ts'
import type { Operation } from '../../operations/define-operation.ts'
import { Refusal } from '../../operations/errors.ts'
import type { Hub } from '../../operations/hub.ts'
import { type Answer, runOperation } from '../../operations/run-operation.ts'
import { callOf, challengeOf, originOf } from './operation-call.ts'
import { addFormReader, fieldsOf } from './owner-forms.ts'

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** How a program becomes an owner agent, asks what its bearer is worth, and gives it back. */
export function addOwnerOauth(app: FastifyInstance, hub: Hub): void {
  app.register(async (oauth) => {
    oauth.removeContentTypeParser('application/json')
    addFormReader(oauth)
    oauth.addHook('onRequest', async ({ identity }, reply) => {
      if (identity.hosted && !identity.refused)
        return sendFault(reply, 404, 'invalid_request', 'Not offered here.')
    })
    oauth.setErrorHandler((error, _request, reply) => {
      const isOurs = error instanceof Refusal
      const words = isOurs ? error.reason : 'The body must be a form.'
      return sendFault(reply, (error as { statusCode?: number }).statusCode ?? 400, 'invalid_request', words)
    })
    oauth.post('/oauth/device_authorization', async (request, reply) =>
      sendCodes(request, reply, await run(hub, request, ownerDeviceRequest)),
    )
    oauth.post('/oauth/token', (request, reply) => giveToken(hub, request, reply))
    oauth.post('/oauth/introspect', async (request, reply) => {
      const answer = await run(hub, request, ownerTokenIntrospect)
      return answer.ok ? sendJson(reply, JSON.parse(answer.text)) : sendRefusal(request, reply, answer)
    })
    // What is revoked already, or was never ours, is revoked: RFC 7009 has nothing else said.
    oauth.post('/oauth/revoke', async (request, reply) => {
      const answer = await run(hub, request, ownerTokenRevoke)
      return answer.ok || answer.code === 'unknown_agent'
        ? sendJson(reply, {})
        : sendRefusal(request, reply, answer)
    })
  })
}

function run(hub: Hub, request: FastifyRequest, operation: Operation): Promise<Answer> {
  const { identity, headers } = request
  const input = knownFields(request, Object.keys(operation.input.shape))
  return runOperation(hub, callOf(operation, identity, headers, input, identity.refused))
}

/** What a server does not know it passes over (RFC 6749, 3.2): programs send more than is needed, as `resource`. */
function knownFields(request: FastifyRequest, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fieldsOf(request)).filter(([name]) => names.includes(name)))
}

function sendCodes(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
  if (!answer.ok) return sendRefusal(request, reply, answer)
  const { grant_id: _, ...codes } = JSON.parse(answer.text) as { grant_id: string; user_code: string }
  const verification_uri = `${pageOrigin(request)}/device`
  const verification_uri_complete = `${verification_uri}?user_code=${codes.user_code}`
  return sendJson(reply, { ...codes, verification_uri, verification_uri_complete })
}

/** The owner's pages are best under a name: passkeys work there. */
export function pageOrigin({ headers, identity }: FastifyRequest): string {
  return originOf(identity.hosted, headers).replace(/^http:\/\/(127\.0\.0\.1|\[::1\])/, 'http://localhost')
}

async function giveToken(hub: Hub, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { grant_type } = fieldsOf(request)
  if (grant_type === undefined) return sendFault(reply, 400, 'invalid_request', 'grant_type is missing.')
  if (grant_type !== DEVICE_GRANT)
    return sendFault(reply, 400, 'unsupported_grant_type', 'Only the device flow is offered.')
  const { identity, headers } = request
  const input = knownFields(request, ['client_id', 'device_code'])
  const { operation: _, ...call } = callOf(ownerDeviceRequest, identity, headers, input, identity.refused)
  const answer = await exchangeDeviceCode(hub, call)
  return answer.ok ? sendJson(reply, JSON.parse(answer.text)) : sendRefusal(request, reply, answer)
}

/** Refusals in the form of RFC 6749: the code at the top, and a sentence beside it. */
function sendRefusal(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
  const { error } = JSON.parse(answer.text) as { error: { code: string; message: string } }
  const origin = originOf(request.identity.hosted, request.headers)
  if (answer.status === 401) reply.header('www-authenticate', challengeOf(ownerTokenIntrospect, origin))
  if (answer.retry_after_seconds) reply.header('retry-after', String(answer.retry_after_seconds))
  return sendFault(reply, answer.status, OAUTH_CODES[error.code] ?? error.code, error.message)
}

/** Our words where OAuth has its own. */
const OAUTH_CODES: Readonly<Record<string, string>> = {
  authentication_error: 'invalid_token',
  permission_error: 'access_denied',
  rate_limited: 'temporarily_unavailable',
  too_many_waiting: 'temporarily_unavailable',
  locked: 'temporarily_unavailable',
  storage_unavailable: 'temporarily_unavailable',
  api_error: 'server_error',
}

function sendFault(
  reply: FastifyReply,
  status: number,
  error: string,
  words: string | undefined,
): FastifyReply {
  return sendJson(reply.code(status), { error, ...(words !== undefined && { error_description: words }) })
}

function sendJson(reply: FastifyReply, body: object): FastifyReply {
  return reply.header('pragma', 'no-cache').type('application/json; charset=utf-8').send(body)
}
