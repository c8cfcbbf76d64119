import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Operation } from '../../operations/define-operation.ts'
import { Refusal } from '../../operations/errors.ts'
import type { Hub } from '../../operations/hub.ts'
import { ownerContract } from '../../operations/owner-contract.ts'
import { surfaceErrors } from '../../operations/owner-errors.ts'
import { runOperation } from '../../operations/run-operation.ts'
import type { Caller } from '../../platform/identity/caller.ts'
import type { McpHttp } from '../mcp/http.ts'
import { type McpCaller, mcpDoor, refuseAtDoor } from '../mcp/mcp-door.ts'
import type { Identity } from './identify.ts'
import { presentedBy, traceparentOf, vaultOf } from './operation-call.ts'
import { BODY_LIMIT_BYTES, findLimit, sendAnswer } from './operation-routes.ts'

const WHERE_TO =
  "Owner credentials do not open MCP. Use a grant-scoped credential at /mcp, or the owner agent's REST control surface, which begins at /v1/owner/control."

/** Mounts MCP at `/mcp`. Who may not come in is turned away, and recorded, before any JSON-RPC is read. */
export function addMcpRoute(app: FastifyInstance, hub: Hub, mcp: McpHttp<McpCaller>): void {
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    config: { operation: mcpDoor },
    bodyLimit: BODY_LIMIT_BYTES,
    onRequest: async (request, reply) => {
      const { refused, caller } = request.identity
      if (refused || caller.kind === 'anonymous') return turnAway(hub, request, reply)
      if (isOwnersOnly(caller)) return refuseOwner(hub, mcpCallerOf(request.raw, request.identity), reply)
      const limited = findLimit(hub, caller)
      if (limited) return turnAway(hub, request, reply, limited)
    },
    handler: async (request, reply) => {
      const body = typeof request.body === 'string' ? request.body : ''
      reply.hijack()
      try {
        await mcp.handle(request.raw, reply.raw, body, mcpCallerOf(request.raw, request.identity))
      } catch (error) {
        // Nobody else answers this request, so a fault here must not leave the client waiting.
        hub.log.error({ fault: (error as Error).name }, 'mcp request failed')
        reply.raw.destroy()
      }
    },
  })
}

/** Who a request comes from, as MCP knows it. */
function mcpCallerOf({ headers }: IncomingMessage, identity: Identity): McpCaller {
  const { caller, address, hosted, origin, stillCounts } = identity
  const { consented, kind, vaults } = caller
  // Who signed in here names no vault: there is one alone. A grant that the token stands for is the only one.
  const own = kind === 'mcp_client' && vaults !== '*' ? vaults[0] : undefined
  const presented = consented ? { own_grant: consented.grant_id } : presentedBy(headers)
  const traceparent = traceparentOf(headers)
  return {
    caller,
    vault: vaultOf(headers) ?? own,
    address,
    presented,
    hosted,
    origin,
    stillCounts,
    traceparent,
  }
}

async function turnAway(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  unread?: Refusal,
): Promise<FastifyReply> {
  const from = mcpCallerOf(request.raw, request.identity)
  const { refused } = request.identity
  if (refused) return sendAnswer(reply, await refuseAtDoor(hub, from, refused), mcpDoor)
  // Down the whole list of steps: it is there that failed sign-ins of an address are counted.
  const call = { ...from, operation: mcpDoor, surface: 'mcp' as const, input: {}, ...(unread && { unread }) }
  return sendAnswer(reply, await runOperation(hub, call), mcpDoor)
}

const door: Operation = { ...mcpDoor, errors: surfaceErrors.table, contract: ownerContract }

/** Whether a credential is for the owner's surface, and so for nothing here. */
function isOwnersOnly({ kind }: Caller): boolean {
  return kind === 'owner_agent' || kind === 'owner_session'
}

/** Turns the owner's credentials away from MCP, and says where they belong. Nothing of the body was read. */
async function refuseOwner(hub: Hub, from: McpCaller, reply: FastifyReply): Promise<FastifyReply> {
  const refused = new Refusal('permission_error', WHERE_TO)
  const answer = await runOperation(hub, { ...from, operation: door, surface: 'mcp', input: {}, refused })
  return sendAnswer(reply, answer, door)
}
