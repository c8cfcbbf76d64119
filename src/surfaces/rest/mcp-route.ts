import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../operations/errors.ts'
import type { Hub } from '../../operations/hub.ts'
import { runOperation } from '../../operations/run-operation.ts'
import type { McpHttp } from '../mcp/http.ts'
import { type McpCaller, mcpDoor } from '../mcp/operation-tools.ts'

/** Mounts MCP at `/mcp`. Who may not come in is turned away, and recorded, before any JSON-RPC is read. */
export function addMcpRoute(app: FastifyInstance, hub: Hub, mcp: McpHttp<McpCaller>): void {
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    config: { operation: mcpDoor },
    onRequest: async (request, reply) => {
      if (request.refused || request.caller.kind === 'anonymous') return turnAway(hub, request, reply)
    },
    handler: async (request, reply) => {
      const body = typeof request.body === 'string' ? request.body : ''
      reply.hijack()
      await mcp.handle(request.raw, reply.raw, body, callerOf(request))
    },
  })
  app.addHook('onClose', () => mcp.close())
}

function callerOf({ caller, headers, ip }: FastifyRequest): McpCaller {
  const vault = headers['x-vault-id']
  return { caller, vault: Array.isArray(vault) ? vault.join() : vault, address: ip }
}

async function turnAway(hub: Hub, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const refused = request.refused ?? new Refusal('UNAUTHENTICATED')
  const arrived = request.refused ? { refused } : {}
  const call = { ...callerOf(request), operation: mcpDoor, surface: 'mcp' as const, input: {}, ...arrived }
  const answer = await runOperation(hub, call)
  if (answer.status === 401) reply.header('www-authenticate', 'Bearer realm="knowtation"')
  if (answer.retry_after_seconds) reply.header('retry-after', answer.retry_after_seconds)
  return reply.code(answer.status).type('application/json; charset=utf-8').send(answer.text)
}
