import type { FastifyInstance } from 'fastify'
import { toolDoor } from '../../domains/toolbox/tool-door.ts'
import type { Operation } from '../../operations/define-operation.ts'
import { Refusal } from '../../operations/errors.ts'
import type { Hub } from '../../operations/hub.ts'
import { refuseRequest } from './operation-routes.ts'

const unknownTool: Operation = { ...toolDoor, rest: 'POST /api/v1/tools/{name}' }

/** Answers a call of a tool that there is not as the toolbox does, and records it. */
export function addUnknownToolRoute(app: FastifyInstance, hub: Hub): void {
  app.route({
    method: 'POST',
    url: '/api/v1/tools/:name',
    config: { operation: unknownTool },
    onRequest: async (request, reply) => {
      const { refused, caller } = request.identity
      const unknown = caller.kind === 'anonymous' ? undefined : new Refusal('ToolNotFound')
      return refuseRequest(hub, request, reply, unknownTool, refused ?? unknown)
    },
    handler: async (_request, reply) => reply,
  })
}
