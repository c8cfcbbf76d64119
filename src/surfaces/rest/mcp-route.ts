import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findGrantView } from '../../domains/flows/grants/grant-view.ts'
import type { Hub } from '../../operations/hub.ts'
import { runOperation } from '../../operations/run-operation.ts'
import type { Authenticate } from '../../platform/identity/authenticate.ts'
import type { McpHttp } from '../mcp/http.ts'
import { type McpCaller, mcpDoor, refuseAtDoor } from '../mcp/operation-tools.ts'
import type { Identity } from './identify.ts'
import { loneCaller } from './lone-caller.ts'
import { presentedBy, vaultOf } from './operation-call.ts'
import { sendAnswer } from './operation-routes.ts'
import { isOwnersOnly, refuseOwner } from './owner-at-mcp.ts'

/** Answers the MCP request of somebody who was let in. It never throws. */
export type ServeMcp = (
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
  identity: Identity,
) => Promise<void>

/** Whether MCP is open to whoever a request comes from. */
export function isWelcomeAtMcp({ refused, caller }: Identity): boolean {
  return !refused && caller.kind !== 'anonymous' && !isOwnersOnly(caller)
}

/** MCP for requests of either way in: through the framework, or past it. */
export function mcpService(hub: Hub, mcp: McpHttp<McpCaller>, authenticate: Authenticate): ServeMcp {
  const calls = loneCaller()
  return async (request, response, body, identity) => {
    const from = mcpCallerOf(request, identity)
    const lookAgain = () => endIfUnwelcome(request, response, from, hub, authenticate)
    const looking = setInterval(lookAgain, RECHECK_EVERY_MS)
    response.once('close', () => clearInterval(looking))
    calls.begins()
    try {
      await mcp.handle(request, response, body, from)
    } catch (error) {
      // Nobody else answers this request, so a fault here must not leave the client waiting.
      hub.log.error({ fault: (error as Error).name }, 'mcp request failed')
      response.destroy()
    } finally {
      calls.ends()
    }
  }
}

/** Mounts MCP at `/mcp`. Who may not come in is turned away, and recorded, before any JSON-RPC is read. */
export function addMcpRoute(app: FastifyInstance, hub: Hub, serve: ServeMcp): void {
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    config: { operation: mcpDoor },
    onRequest: async (request, reply) => {
      const { refused, caller } = request.identity
      if (refused || caller.kind === 'anonymous') return turnAway(hub, request, reply)
      if (isOwnersOnly(caller)) return refuseOwner(hub, mcpCallerOf(request.raw, request.identity), reply)
    },
    handler: async (request, reply) => {
      const body = typeof request.body === 'string' ? request.body : ''
      reply.hijack()
      await serve(request.raw, reply.raw, body, request.identity)
    },
  })
}

/** An answer that stays open this long is a stream, whose right to go on is looked at again and again. */
const RECHECK_EVERY_MS = 500

/** Ends an open stream whose credential or grant has been revoked or locked, or has run out. */
function endIfUnwelcome(
  request: IncomingMessage,
  response: ServerResponse,
  from: McpCaller,
  hub: Hub,
  authenticate: Authenticate,
): void {
  isStillWelcome(request, from, hub, authenticate)
    .then((welcome) => welcome || response.destroy())
    .catch(() => response.destroy())
}

async function isStillWelcome(
  { headers: { authorization } }: IncomingMessage,
  { caller, vault = 'default', presented = {}, hosted = false }: McpCaller,
  hub: Hub,
  authenticate: Authenticate,
): Promise<boolean> {
  const now = await authenticate({ authorization, loopback: !hosted, client: caller.client })
  if (now.kind === 'anonymous') return false
  if (presented.external_bearer === undefined) return true
  // The grant's own lock is part of its view.
  if (await hub.locks.find(now.id)) return false
  return (await findGrantView(hub, { caller: now, vault_id: vault, presented })) !== undefined
}

/** Who a request comes from, as MCP knows it. */
export function mcpCallerOf({ headers }: IncomingMessage, { caller, address, hosted }: Identity): McpCaller {
  const presented = presentedBy(headers)
  // The answer to a grant's holder is cut off with its grant, its gate and its locks.
  const ends_when_locked = presented.external_bearer !== undefined
  return { caller, vault: vaultOf(headers), address, presented, hosted, ends_when_locked }
}

async function turnAway(hub: Hub, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const from = mcpCallerOf(request.raw, request.identity)
  const { refused } = request.identity
  if (refused) return sendAnswer(reply, await refuseAtDoor(hub, from, refused))
  // Down the whole list of steps: it is there that failed sign-ins of an address are counted.
  const call = { ...from, operation: mcpDoor, surface: 'mcp' as const, input: {} }
  return sendAnswer(reply, await runOperation(hub, call))
}
