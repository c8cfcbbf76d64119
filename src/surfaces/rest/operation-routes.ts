import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { Operation } from '../../operations/define-operation.ts'
import type { Refusal } from '../../operations/errors.ts'
import type { Hub } from '../../operations/hub.ts'
import type { Registry } from '../../operations/registry.ts'
import { type Answer, runOperation } from '../../operations/run-operation.ts'
import { abortWhenClosed } from '../mcp/send.ts'
import type { Identity } from './identify.ts'
import { answerHeaders, callOf, challengeOf, originOf, readCall } from './operation-call.ts'
import { inputReader } from './route-input.ts'

declare module 'fastify' {
  interface FastifyRequest {
    identity: Identity
  }
  interface FastifyContextConfig {
    operation?: Operation
  }
}

/** Gives every operation with a REST binding its route. */
export function addOperationRoutes(app: FastifyInstance, hub: Hub, registry: Registry): void {
  const stopping = new AbortController()
  app.addHook('preClose', async () => stopping.abort())
  for (const operation of registry.values()) {
    if (!operation.rest) continue
    const [method, path] = operation.rest.split(' ') as [HTTPMethods, string]
    const route = { operation, readInput: inputReader(operation), stopping: stopping.signal }
    app.route({
      method,
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      config: { operation },
      // Refused before the body is read: what a stranger sends is not worth parsing.
      onRequest: async (request, reply) => {
        const { refused, caller } = request.identity
        if (refused || caller.kind === 'anonymous')
          return refuseRequest(hub, request, reply, operation, refused)
      },
      handler: async (request, reply) =>
        sendAnswer(reply, await answerRequest(hub, request, reply, route), operation),
    })
  }
}

interface Route {
  readonly operation: Operation
  readonly readInput: ReturnType<typeof inputReader>
  /** Aborted when the hub begins to stop. */
  readonly stopping: AbortSignal
}

function answerRequest(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  { operation, readInput, stopping }: Route,
): Promise<Answer> {
  const call = readCall(operation, request.identity, request.headers, () => readInput(request))
  // What reaches outside the hub can be called off, and so can waiting. No other read takes long.
  if (operation.effect === 'read' && !operation.waits) return runOperation(hub, call)
  const left = abortWhenClosed(reply.raw)
  // What has been begun is finished when the hub stops; waiting is not.
  return runOperation(hub, { ...call, signal: operation.waits ? AbortSignal.any([left, stopping]) : left })
}

/** Records and answers a request that an operation's route may not take, or whose body it could not read. */
export async function refuseRequest(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
  refused: Refusal | undefined,
  unread?: Refusal,
): Promise<FastifyReply> {
  const call = callOf(operation, request.identity, request.headers, undefined, refused)
  return sendAnswer(reply, await runOperation(hub, unread ? { ...call, unread } : call), operation)
}

/** Sends a finished answer as it is. */
export function sendAnswer(reply: FastifyReply, answer: Answer, operation?: Operation): FastifyReply {
  const { identity, headers } = reply.request
  const challenge = challengeOf(operation, originOf(identity.hosted, headers))
  for (const [name, value] of answerHeaders(answer, challenge)) reply.header(name, value)
  return reply.code(answer.status).send(answer.status === 204 ? '' : answer.text)
}
