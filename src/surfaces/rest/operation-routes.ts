import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { Operation, Presented } from '../../operations/define-operation.ts'
import { Refusal } from '../../operations/errors.ts'
import type { Hub } from '../../operations/hub.ts'
import type { Registry } from '../../operations/registry.ts'
import { type Answer, type Call, runOperation } from '../../operations/run-operation.ts'
import type { Caller } from '../../platform/identity/caller.ts'
import { abortWhenClosed } from '../mcp/send.ts'
import { inputReader } from './route-input.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who the request's credentials prove the caller to be. */
    caller: Caller
    /** Why the request may not come in, when it may not. */
    refused: Refusal | undefined
    /** Whether it came in under a hosted name. */
    hosted: boolean
  }
  interface FastifyContextConfig {
    operation?: Operation
  }
}

/** Gives every operation with a REST binding its route. */
export function addOperationRoutes(app: FastifyInstance, hub: Hub, registry: Registry): void {
  for (const operation of registry.values()) {
    if (!operation.rest) continue
    const [method, path] = operation.rest.split(' ') as [HTTPMethods, string]
    const readInput = inputReader(operation)
    app.route({
      method,
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      config: { operation },
      // Refused before the body is read: what a stranger sends is not worth parsing.
      onRequest: async (request, reply) => {
        if (request.refused || request.caller.kind === 'anonymous') {
          return sendAnswer(
            reply,
            await runOperation(hub, callOf(request, operation, undefined, request.refused)),
          )
        }
      },
      handler: async (request, reply) =>
        sendAnswer(reply, await answerRequest(hub, request, reply, operation, readInput)),
    })
  }
}

function answerRequest(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
  readInput: (request: FastifyRequest) => unknown,
): Promise<Answer> {
  try {
    const call = callOf(request, operation, readInput(request), undefined)
    // Only what reaches outside the hub can be called off, and no read does.
    const isRead = operation.effect === 'read'
    return runOperation(hub, isRead ? call : { ...call, signal: abortWhenClosed(reply.raw) })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return runOperation(hub, callOf(request, operation, undefined, error))
  }
}

/** Records and answers a request that an operation's route could not read. */
export async function refuseRequest(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
  refusal: Refusal,
): Promise<FastifyReply> {
  return sendAnswer(reply, await runOperation(hub, callOf(request, operation, undefined, refusal)))
}

function callOf(
  request: FastifyRequest,
  operation: Operation,
  input: unknown,
  refused: Refusal | undefined,
): Call {
  const vault = request.headers['x-vault-id']
  return {
    operation,
    surface: operation.rest === undefined ? 'mcp' : 'rest',
    caller: request.caller,
    address: request.ip,
    vault: Array.isArray(vault) ? vault.join() : vault,
    input,
    presented: presentedBy(request.headers),
    hosted: request.hosted,
    ...(refused && { refused }),
  }
}

/** The grant headers. A bearer anywhere else (body, query, path) is never looked at. */
export function presentedBy(headers: IncomingHttpHeaders): Presented {
  const bearer = headers['x-flow-external-bearer']
  const grant_id = headers['x-flow-grant-id']
  return {
    ...(bearer !== undefined && { external_bearer: String(bearer) }),
    ...(grant_id !== undefined && { grant_id: String(grant_id) }),
  }
}

/** Sends a finished answer as it is. */
export function sendAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
  if (answer.status === 401) reply.header('www-authenticate', 'Bearer realm="knowtation"')
  if (answer.retry_after_seconds) reply.header('retry-after', answer.retry_after_seconds)
  return reply.code(answer.status).type('application/json; charset=utf-8').send(answer.text)
}
