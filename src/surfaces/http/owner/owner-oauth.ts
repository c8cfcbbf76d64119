import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { mcpTokenRevoke } from '../../../domains/control/consents/consent-operations.ts'
import { ownerTokenIntrospect, ownerTokenRevoke } from '../../../domains/control/owner/agents.ts'
import { ownerDeviceRequest } from '../../../domains/control/owner/device.ts'
import { exchangeDeviceCode } from '../../../domains/control/owner/device-token.ts'
import { localhostOf } from '../../../domains/control/owner/hub-address.ts'
import type { Operation } from '../../../operations/define-operation.ts'
import { Refusal } from '../../../operations/errors.ts'
import type { Hub } from '../../../operations/hub.ts'
import { type Answer, runOperation } from '../../../operations/run-operation.ts'
import { DEVICE_GRANT } from '../oauth/check-request.ts'
import {
  addRegistration,
  exchangeDevice,
  exchangeToken,
  type Made,
  requestDevice,
  type SignIn,
} from '../oauth/oauth-routes.ts'
import { callOf, challengeOf } from '../operation-call.ts'
import { addFormReader, fieldsOf } from './owner-forms.ts'

/** How a program becomes an owner agent or comes in at MCP, asks what its bearer is worth, and gives it back. */
export function addOwnerOauth(app: FastifyInstance, signIn: SignIn): void {
  const { hub } = signIn
  app.register(async (oauth) => {
    oauth.addHook('onRequest', refuseHosted)
    addRegistration(oauth, signIn, sendMade)
  })
  app.register(async (oauth) => {
    oauth.removeContentTypeParser('application/json')
    addFormReader(oauth)
    oauth.addHook('onRequest', refuseHosted)
    oauth.setErrorHandler((error, _request, reply) => {
      const isOurs = error instanceof Refusal
      const words = isOurs ? error.reason : 'The body must be a form.'
      return sendFault(reply, (error as { statusCode?: number }).statusCode ?? 400, 'invalid_request', words)
    })
    oauth.post('/oauth/device_authorization', async (request, reply) => {
      if (!isForMcp(request)) return sendCodes(request, reply, await run(hub, request, ownerDeviceRequest))
      const { answer, send } = await requestDevice(signIn, request)
      return answer.ok ? sendUserCode(request, reply, send as Codes) : sendRefusal(request, reply, answer)
    })
    oauth.post('/oauth/token', (request, reply) => giveToken(signIn, request, reply))
    oauth.post('/oauth/introspect', async (request, reply) => {
      const answer = await run(hub, request, ownerTokenIntrospect)
      return answer.ok ? sendJson(reply, JSON.parse(answer.text)) : sendRefusal(request, reply, answer)
    })
    // What is revoked already, or was never ours, is revoked: RFC 7009 has nothing else said.
    oauth.post('/oauth/revoke', async (request, reply) => {
      const isOfMcp = /^kmc[pr]_/.test(String(fieldsOf(request).token))
      const answer = await run(hub, request, isOfMcp ? mcpTokenRevoke : ownerTokenRevoke)
      return answer.ok || answer.code === 'unknown_agent' || answer.code === 'unknown_consent'
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
  const { grant_id: _, ...codes } = JSON.parse(answer.text) as { grant_id: string } & Codes
  return sendUserCode(request, reply, codes)
}

type Codes = { readonly user_code: string }

function sendUserCode(request: FastifyRequest, reply: FastifyReply, codes: Codes): FastifyReply {
  const verification_uri = `${pageOrigin(request)}/device`
  const verification_uri_complete = `${verification_uri}?user_code=${codes.user_code}`
  return sendJson(reply, { ...codes, verification_uri, verification_uri_complete })
}

/** Where the owner decides. From `localhost` the pages lead on to their own name, which no program is told. */
export function pageOrigin({ identity }: FastifyRequest): string {
  return localhostOf(identity.origin)
}

async function giveToken(
  signIn: SignIn,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { grant_type } = fieldsOf(request)
  if (grant_type === undefined) return sendFault(reply, 400, 'invalid_request', 'grant_type is missing.')
  if (grant_type === 'authorization_code' || grant_type === 'refresh_token')
    return sendMade(request, reply, await exchangeToken(signIn, request))
  if (grant_type !== DEVICE_GRANT)
    return sendFault(reply, 400, 'unsupported_grant_type', 'This way to a token is not offered.')
  const made = await exchangeDevice(signIn, request)
  if (made) return sendMade(request, reply, made)
  const { identity, headers } = request
  const input = knownFields(request, ['client_id', 'device_code'])
  const { operation: _, ...call } = callOf(ownerDeviceRequest, identity, headers, input, identity.refused)
  const answer = await exchangeDeviceCode(signIn.hub, call)
  return answer.ok ? sendJson(reply, JSON.parse(answer.text)) : sendRefusal(request, reply, answer)
}

/** Which of the two flows a device asks for; who says nothing means the owner's surface, as ever. */
function isForMcp(request: FastifyRequest): boolean {
  const { scope } = fieldsOf(request)
  return typeof scope === 'string' && scope.split(' ').includes('mcp')
}

async function refuseHosted({ identity }: FastifyRequest, reply: FastifyReply) {
  if (identity.pinned && !identity.refused)
    return sendFault(reply, 404, 'invalid_request', 'Not offered here.')
}

function sendMade(request: FastifyRequest, reply: FastifyReply, { answer, send }: Made): FastifyReply {
  return answer.ok ? sendJson(reply, send as object) : sendRefusal(request, reply, answer)
}

/** Refusals in the form of RFC 6749: the code at the top, and a sentence beside it. */
function sendRefusal(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
  const { error } = JSON.parse(answer.text) as { error: { code: string; message: string } }
  const { origin } = request.identity
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
  too_many_clients: 'temporarily_unavailable',
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
