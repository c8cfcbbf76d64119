import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { COMMON_ERRORS, type CommonCode, Refusal } from '../../operations/errors.ts'
import type { Hub } from '../../operations/hub.ts'
import type { Registry } from '../../operations/registry.ts'
import type { Authenticate } from '../../platform/identity/authenticate.ts'
import { anonymous } from '../../platform/identity/caller.ts'
import { clientName } from '../../platform/identity/client-name.ts'
import { StorageUnavailable } from '../../platform/storage/database.ts'
import { createMcpHttp } from '../mcp/http.ts'
import { operationTools, refuseAtDoor } from '../mcp/operation-tools.ts'
import { openApiDocument } from '../openapi/openapi-document.ts'
import { judgeArrival } from './arrival.ts'
import { connectionFaults } from './connection-faults.ts'
import { addFrontPage } from './front-page.ts'
import { healthProbe } from './health.ts'
import { addMcpRoute } from './mcp-route.ts'
import { measureCalls } from './metrics.ts'
import { addOperationRoutes, refuseRequest } from './operation-routes.ts'
import { addBodyReader } from './read-body.ts'
import { setSecurityHeaders } from './security-headers.ts'

const BODY_LIMIT_BYTES = 1_048_576
const REQUEST_TIMEOUT_MS = 60_000
/** Longer than any request line can be: an id of any length reaches its operation and is refused there. */
const PARAMETER_LIMIT = 65_536

/** The hub over HTTP: its operations, the MCP endpoint and the few pages around them. */
export function buildApp(hub: Hub, registry: Registry, authenticate: Authenticate): FastifyInstance {
  const faults = connectionFaults()
  const app = Fastify({
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    exposeHeadRoutes: false,
    // Connections still waiting for an answer get it before the hub stops, and so do their last requests.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // A request without Host is refused by us, in our form, and recorded.
    http: { requireHostHeader: false },
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
  app.decorateRequest('caller')
  app.decorateRequest('refused')
  app.decorateRequest('hosted', false)
  app.addHook('onRequest', async (request, reply) => {
    setSecurityHeaders(reply.raw)
    await identify(hub, authenticate, request)
  })
  app.setErrorHandler((error, request, reply) => answerFault(hub, request, reply, error as FastifyError))
  app.setNotFoundHandler((_request, reply) => sendPlainly(reply, 'NOT_FOUND'))
  addOperationRoutes(app, hub, registry)
  addSystemRoutes(app, hub, registry)
  const mcp = createMcpHttp(operationTools(hub, registry), {
    onError: (error) => hub.log.debug({ fault: error.name }, 'mcp request refused'),
    onRefused: (from) => refuseAtDoor(hub, from, new Refusal('BAD_REQUEST')),
  })
  addMcpRoute(app, hub, mcp, authenticate)
  return app
}

async function identify(hub: Hub, authenticate: Authenticate, request: FastifyRequest): Promise<void> {
  const { host, origin, authorization } = request.headers
  const { url: target, rawHeaders } = request.raw
  const arrival = judgeArrival({ host, origin, target, rawHeaders, address: request.ip }, hub.config)
  const client = clientName(request.headers['user-agent'])
  request.refused = arrival.refused
  request.hosted = !arrival.loopback
  request.caller = anonymous(client)
  if (arrival.refused) return
  try {
    request.caller = await authenticate({ authorization, loopback: arrival.loopback, client })
  } catch (error) {
    // Who cannot be checked stays outside, and hears that it is not their fault.
    hub.log.error({ fault: (error as Error).name }, 'authentication failed')
    const unavailable = error instanceof StorageUnavailable
    request.refused = new Refusal(unavailable ? 'STORAGE_UNAVAILABLE' : 'RUNTIME_ERROR')
  }
}

function addSystemRoutes(app: FastifyInstance, hub: Hub, registry: Registry): void {
  const isHealthy = healthProbe(hub)
  const metrics = measureCalls(hub)
  const openapi = JSON.stringify(openApiDocument(registry))
  app.register(async (pages) => {
    pages.addHook('onRequest', async (request, reply) => {
      if (request.refused) return sendPlainly(reply, request.refused.code as CommonCode)
    })
    addFrontPage(pages)
    pages.get('/healthz', async (_request, reply) => {
      const healthy = await isHealthy()
      return reply.code(healthy ? 200 : 503).send({ status: healthy ? 'ok' : 'unavailable' })
    })
    // Counts are for whoever runs the machine, not for the network behind a hosted name.
    pages.get('/metrics', async ({ hosted }, reply) =>
      hosted
        ? sendPlainly(reply, 'NOT_FOUND')
        : reply.type(metrics.contentType).send(await metrics.metrics()),
    )
    pages.get('/openapi.json', (_request, reply) => reply.type('application/json').send(openapi))
  })
}

/** What Fastify could not take becomes one of our codes, recorded when an operation was meant. */
async function answerFault(hub: Hub, request: FastifyRequest, reply: FastifyReply, error: FastifyError) {
  const refusal = error instanceof Refusal ? error : new Refusal(codeOf(error))
  if (refusal.code === 'RUNTIME_ERROR') hub.log.error({ fault: error.name, at: error.code }, 'request failed')
  const { operation } = request.routeOptions.config
  if (!operation) return sendPlainly(reply, refusal.code as CommonCode)
  return refuseRequest(hub, request, reply, operation, refusal)
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
