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
import type { Authenticate } from '../../platform/identity/authenticate.ts'
import { createMcpHttp } from '../mcp/http.ts'
import { countAtDoor, type McpCaller, refuseAtDoor, watchAtDoor } from '../mcp/mcp-door.ts'
import { operationTools } from '../mcp/operation-tools.ts'
import type { ToolHost } from '../mcp/tool-host.ts'
import { openApiDocument } from '../openapi/openapi-document.ts'
import { connectionFaults } from './connection-faults.ts'
import { addOwnerStream } from './console/owner-stream.ts'
import { addFrontPage, HEAD_TOO } from './front-page.ts'
import { healthProbe } from './health.ts'
import { identifier } from './identify.ts'
import { addMcpRoute } from './mcp-route.ts'
import { measureConnections } from './metrics/measure-store.ts'
import { measureHub } from './metrics/metrics.ts'
import { mayScrape } from './metrics/scraper.ts'
import { lazySignIn } from './oauth/lazy-sign-in.ts'
import { addOperationRoutes, refuseRequest } from './operation-routes.ts'
import { addOwnerDiscovery } from './owner/discovery.ts'
import { addOwnerOauth } from './owner/owner-oauth.ts'
import { addOwnerPages } from './owner/owner-pages.ts'
import { addBodyReader } from './read-body.ts'
import { type Readiness, readinessOf } from './readiness.ts'
import { SECURITY_HEADER_VALUES, SECURITY_HEADERS } from './security-headers.ts'
import { addUnknownToolRoute } from './tool-route.ts'
import { answerUnknown } from './unknown-address.ts'

/** What a visitor may send at most: forms, and the answers of passkeys. */
const VISITOR_BODY_LIMIT_BYTES = 65_536
const REQUEST_TIMEOUT_MS = 60_000
/** The head of a request comes at once; a connection that says nothing is let go. */
const HEAD_TIMEOUT_MS = 15_000
const TIMEOUT_CHECK_MS = 5_000
/** Open connections at most. What comes beyond them is closed unanswered, and counted. */
const CONNECTION_LIMIT = 8_192
/** Longer than any request line can be: an id of any length reaches its operation and is refused there. */
const PARAMETER_LIMIT = 65_536

/** The hub over HTTP: its operations, the MCP endpoint and the few pages around them. */
export function buildApp(
  hub: Hub,
  registry: Registry,
  authenticate: Authenticate,
  readiness: Readiness = { stopping: false },
  tools: ToolHost<McpCaller> = operationTools(hub, registry),
): FastifyInstance {
  const faults = connectionFaults()
  const identify = identifier(hub, authenticate)
  const mcp = createMcpHttp(tools, {
    headers: SECURITY_HEADERS,
    onError: (error) => hub.log.debug({ fault: error.name }, 'mcp request refused'),
    onRefused: (from) => refuseAtDoor(hub, from, new Refusal('BAD_REQUEST')),
    onOther: (from) => countAtDoor(hub, from),
    watch: (from, cut) => watchAtDoor(hub, from, cut),
  })
  const app = Fastify({
    bodyLimit: VISITOR_BODY_LIMIT_BYTES,
    serverFactory: serverWith(readiness),
    exposeHeadRoutes: false,
    // Connections still waiting for an answer get it before the hub stops, and so do their last requests.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: PARAMETER_LIMIT },
    clientErrorHandler: faults.answer,
    frameworkErrors: (_error, _request, reply) => {
      sendPlainly(reply.headers(SECURITY_HEADER_VALUES), 'BAD_REQUEST')
    },
  })
  app.server.on('request', faults.follow)
  // Nothing is expected of us but the answer.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  addBodyReader(app)
  app.decorateRequest('identity')
  app.decorateRequest('stopped')
  app.addHook('onRequest', async (request, reply) => {
    // Not on the raw response: what is hijacked, as MCP is, brings its own.
    reply.headers(SECURITY_HEADER_VALUES)
    request.identity = await identify(request.raw)
    const { hosted, named } = request.identity
    if (hosted && named) reply.header('strict-transport-security', 'max-age=31536000')
    // Where there is nothing, nobody reads a body.
    if (request.is404) return answerUnknown(hub, request, reply)
  })
  app.setErrorHandler((error, request, reply) => answerFault(hub, request, reply, error as FastifyError))
  app.setNotFoundHandler((request, reply) => answerUnknown(hub, request, reply))
  addOperationRoutes(app, hub, registry)
  addUnknownToolRoute(app, hub)
  addSystemRoutes(app, hub, registry, readiness)
  const signIn = lazySignIn(hub)
  addOwnerPages(app, signIn, registry)
  addOwnerOauth(app, signIn)
  addMcpRoute(app, hub, mcp)
  addOwnerStream(app, hub, (name) => name === 'owner_stream' || registry.get(name)?.effect === 'read')
  app.addHook('onClose', () => mcp.close())
  return app
}

/** The server under the framework. */
function serverWith(readiness: Readiness) {
  return (handler: RequestListener): Server => {
    // A request without Host is refused by us, in our form, and recorded.
    const settings = {
      requireHostHeader: false,
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEAD_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    }
    const server = createServer(settings, (request, response) => {
      // Whoever would go on with this connection is told to look elsewhere.
      if (readiness.stopping) response.shouldKeepAlive = false
      handler(request, response)
    })
    server.maxConnections = CONNECTION_LIMIT
    countAll(server)
    return server
  }
}

/** Node counts what a server accepts itself. The limit is for all addresses of the hub together. */
function countAll(server: Server): void {
  let open = 0
  server.on('connection', (socket) => {
    socket.once('close', () => open--)
    if (++open <= (server.maxConnections as number)) return
    server.emit('drop')
    socket.destroy()
  })
}

function addSystemRoutes(app: FastifyInstance, hub: Hub, registry: Registry, readiness: Readiness): void {
  const isHealthy = healthProbe(hub)
  const metrics = measureHub(hub)
  measureConnections(app.server, metrics.registry)
  let openapi: string | undefined
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
    pages.get('/readyz', HEAD_TOO, async (_request, reply) => {
      const { code, body } = await readinessOf(readiness, isHealthy)
      return reply.code(code).send(body)
    })
    // Counts are for whoever runs the machine, not for the network.
    pages.get('/metrics', async ({ identity, headers }, reply) => {
      if (!mayScrape(hub, identity, headers.authorization)) return sendPlainly(reply, 'NOT_FOUND')
      const { type, text } = await metrics.tell(headers.accept)
      return reply.type(type).send(text)
    })
    // Made when it is first asked for: most hubs never are, and it takes more memory than all else they hold at rest.
    pages.get('/openapi.json', HEAD_TOO, (_request, reply) => {
      openapi ??= JSON.stringify(openApiDocument(registry))
      return reply.type('application/json').send(openapi)
    })
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
