import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findGrantView } from '../../domains/flows/grants/grant-view.ts'
import type { Hub } from '../../operations/hub.ts'
import { runOperation } from '../../operations/run-operation.ts'
import type { Authenticate } from '../../platform/identity/authenticate.ts'
import type { McpHttp } from '../mcp/http.ts'
import { type McpCaller, mcpDoor, refuseAtDoor } from '../mcp/operation-tools.ts'
import { presentedBy, vaultOf } from './operation-call.ts'
import { sendAnswer } from './operation-routes.ts'
import { isOwnersOnly, refuseOwner } from './owner-at-mcp.ts'

/** Mounts MCP at `/mcp`. Who may not come in is turned away, and recorded, before any JSON-RPC is read. */
export function addMcpRoute(
  app: FastifyInstance,
  hub: Hub,
  mcp: McpHttp<McpCaller>,
  authenticate: Authenticate,
): void {
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    config: { operation: mcpDoor },
    onRequest: async (request, reply) => {
      const { refused, caller } = request.identity
      if (refused || caller.kind === 'anonymous') return turnAway(hub, request, reply)
      if (isOwnersOnly(caller)) return refuseOwner(hub, callerOf(request), reply)
    },
    handler: async (request, reply) => {
      const body = typeof request.body === 'string' ? request.body : ''
      const from = callerOf(request)
      reply.hijack()
      endWhenUnwelcome(request, reply, from, hub, authenticate)
      try {
        await mcp.handle(request.raw, reply.raw, body, from)
      } catch (error) {
        // Nobody else answers a hijacked request, so a fault here must not leave the client waiting.
        hub.log.error({ fault: (error as Error).name }, 'mcp request failed')
        reply.raw.destroy()
      }
    },
  })
  app.addHook('onClose', () => mcp.close())
}

/** An answer that stays open this long is a stream, whose right to go on is looked at again and again. */
const RECHECK_EVERY_MS = 500

/** Ends an open stream soon after its credential or grant has been revoked or has run out. */
function endWhenUnwelcome(
  request: FastifyRequest,
  reply: FastifyReply,
  { caller, vault = 'default', presented = {} }: McpCaller,
  hub: Hub,
  authenticate: Authenticate,
): void {
  const isWelcome = async () => {
    const { authorization } = request.headers
    const now = await authenticate({
      authorization,
      loopback: !request.identity.hosted,
      client: caller.client,
    })
    if (now.kind === 'anonymous') return false
    return (
      presented.external_bearer === undefined ||
      (await findGrantView(hub, { caller: now, vault_id: vault, presented })) !== undefined
    )
  }
  const timer = setInterval(
    () =>
      void isWelcome()
        .then((welcome) => welcome || reply.raw.destroy())
        .catch(() => reply.raw.destroy()),
    RECHECK_EVERY_MS,
  )
  reply.raw.once('close', () => clearInterval(timer))
}

function callerOf({ identity, headers }: FastifyRequest): McpCaller {
  const { caller, address, hosted } = identity
  return { caller, vault: vaultOf(headers), address, presented: presentedBy(headers), hosted }
}

async function turnAway(hub: Hub, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const from = callerOf(request)
  const { refused } = request.identity
  if (refused) return sendAnswer(reply, await refuseAtDoor(hub, from, refused))
  // Down the whole list of steps: it is there that failed sign-ins of an address are counted.
  const call = { ...from, operation: mcpDoor, surface: 'mcp' as const, input: {} }
  return sendAnswer(reply, await runOperation(hub, call))
}
