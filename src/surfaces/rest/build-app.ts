import { createServer, type RequestListener, type Server } from 'node:http'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { COMMON_ERRORS, type CommonCode, Refusal } from '../../operations/errors.ts'
import type { Hub } from '../../operations/hub.ts'
import type { Registry } from '../../operations/registry.ts'
import { beginTurn } from '../../platform/basics/turn.ts'
import type { Authenticate } from '../../platform/identity/authenticate.ts'
import { createMcpHttp } from '../mcp/http.ts'
import { operationTools, refuseAtDoor } from '../mcp/operation-tools.ts'
import { openApiDocument } from '../openapi/openapi-document.ts'
import { connectionFaults } from './connection-faults.ts'
import { type FastCalls, fastCalls } from './fast-calls.ts'
import { type FastReads, fastReads } from './fast-reads.ts'
import { addFrontPage, HEAD_TOO } from './front-page.ts'
import { healthProbe } from './health.ts'
import { identify } from './identify.ts'
import { addMcpRoute, mcpService } from './mcp-route.ts'
import { measureCalls } from './metrics.ts'
import { addOperationRoutes, refuseRequest } from './operation-routes.ts'
import { addOwnerDiscovery } from './owner-discovery.ts'
import { addOwnerOauth } from './owner-oauth.ts'
import { addOwnerPages } from './owner-pages.ts'
import { addBodyReader } from './read-body.ts'
import { SECURITY_HEADERS, setSecurityHeaders } from './security-headers.ts'
import { addUnknownToolRoute } from './tool-route.ts'
import { answerUnknown } from './unknown-address.ts'

const BODY_LIMIT_BYTES = 1_048_576
const REQUEST_TIMEOUT_MS = 60_000
/** Longer than any request line can be: an id of any length reaches its operation and is refused there. */
const PARAMETER_LIMIT = 65_536

/** The hub over HTTP: its operations, the MCP endpoint and the few pages around them. */
export function buildApp(
  hub: Hub,
  registry: Registry,
  authenticate: Authenticate,
  options: { fast?: boolean } = {},
): FastifyInstance {
  const faults = connectionFaults()
  const mcp = createMcpHttp(operationTools(hub, registry), {
    headers: SECURITY_HEADERS,
    onError: (error) => hub.log.debug({ fault: error.name }, 'mcp request refused'),
    onRefused: (from) => refuseAtDoor(hub, from, new Refusal('BAD_REQUEST')),
  })
  const serveMcp = mcpService(hub, mcp, authenticate)
  const fast =
    options.fast === false
      ? () => false
      : either(
          fastReads(hub, registry, authenticate),
          fastCalls(hub, authenticate, serveMcp, BODY_LIMIT_BYTES),
        )
  const app = Fastify({
    bodyLimit: BODY_LIMIT_BYTES,
    serverFactory: serverWith(fast),
    exposeHeadRoutes: false,
    // Connections still waiting for an answer get it before the hub stops, and so do their last requests.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: PARAMETER_LIMIT },
    clientErrorHandler: faults.answer,
    frameworkErrors: (_error, _request, reply) => {
      setSecurityHeaders(reply.raw)
      sendPlainly(reply, 'BAD_REQUEST')
    },
  })
  app.server.on('request', faults.follow)
  // Nothing is expected of us but the answer.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  addBodyReader(app)
  app.decorateRequest('identity')
  app.addHook('onRequest', async (request, reply) => {
    setSecurityHeaders(reply.raw)
    request.identity = await identify(hub, authenticate, request.raw)
  })
  app.setErrorHandler((error, request, reply) => answerFault(hub, request, reply, error as FastifyError))
  app.setNotFoundHandler((request, reply) => answerUnknown(hub, request, reply))
  addOperationRoutes(app, hub, registry)
  addUnknownToolRoute(app, hub)
  addSystemRoutes(app, hub, registry)
  addOwnerPages(app, hub)
  addOwnerOauth(app, hub)
  addMcpRoute(app, hub, serveMcp)
  app.addHook('onClose', () => mcp.close())
  return app
}

function either(reads: FastReads, calls: FastCalls): FastCalls {
  return (request, response, handOn) => reads(request, response) || calls(request, response, handOn)
}

/** The server under the framework: plain requests are answered before it. */
function serverWith(answerFast: FastCalls) {
  return (handler: RequestListener): Server => {
    // A request without Host is refused by us, in our form, and recorded.
    const settings = { requireHostHeader: false, requestTimeout: REQUEST_TIMEOUT_MS }
    return createServer(settings, (request, response) => {
      beginTurn()
      const handOn = () => handler(request, response)
      if (!answerFast(request, response, handOn)) handOn()
    })
  }
}

function addSystemRoutes(app: FastifyInstance, hub: Hub, registry: Registry): void {
  const isHealthy = healthProbe(hub)
  const metrics = measureCalls(hub)
  const openapi = JSON.stringify(openApiDocument(registry))
  app.register(async (pages) => {
    pages.addHook('onRequest', async (request, reply) => {
      const { refused } = request.identity
      if (refused) return sendPlainly(reply, refused.code as CommonCode)
    })
    addFrontPage(pages, hub)
    addOwnerDiscovery(pages, hub)
    pages.get('/healthz', HEAD_TOO, async (_request, reply) => {
      const healthy = await isHealthy()
      return reply.code(healthy ? 200 : 503).send({ status: healthy ? 'ok' : 'unavailable' })
    })
    // Counts are for whoever runs the machine, not for the network behind a hosted name.
    pages.get('/metrics', async ({ identity }, reply) =>
      identity.hosted
        ? sendPlainly(reply, 'NOT_FOUND')
        : reply.type(metrics.contentType).send(await metrics.metrics()),
    )
    pages.get('/openapi.json', HEAD_TOO, (_request, reply) => reply.type('application/json').send(openapi))
  })
}

/** What Fastify could not take becomes one of our codes, recorded when an operation was meant. */
async function answerFault(hub: Hub, request: FastifyRequest, reply: FastifyReply, error: FastifyError) {
  const refusal = error instanceof Refusal ? error : new Refusal(codeOf(error))
  const isOurs = refusal.code === 'RUNTIME_ERROR'
  if (isOurs) hub.log.error({ fault: error.name, at: error.code }, 'request failed')
  const { operation } = request.routeOptions.config
  if (!operation) return sendPlainly(reply, refusal.code as CommonCode)
  // A body is looked at after what may be shut; at the door of MCP, where no operation is named yet, nothing is.
  const isUnread = !isOurs && operation.rest !== undefined
  return isUnread
    ? refuseRequest(hub, request, reply, operation, undefined, refusal)
    : refuseRequest(hub, request, reply, operation, refusal)
}

function codeOf(error: FastifyError): CommonCode {
  if (error.statusCode === 413) return 'PAYLOAD_TOO_LARGE'
  if (error.statusCode === 415) return 'UNSUPPORTED_MEDIA_TYPE'
  return error.statusCode !== undefined && error.statusCode < 500 ? 'BAD_REQUEST' : 'RUNTIME_ERROR'
}

function sendPlainly(reply: FastifyReply, code: CommonCode): FastifyReply {
  const { status, message } = COMMON_ERRORS[code]
  return reply.code(status).type('application/json; charset=utf-8').send({ error: message, code })
}
