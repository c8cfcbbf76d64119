import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { Operation } from '../../operations/define-operation.ts'
import { Refusal } from '../../operations/errors.ts'
import type { Hub } from '../../operations/hub.ts'
import type { Registry } from '../../operations/registry.ts'
import { type Answer, runOperation } from '../../operations/run-operation.ts'
import { abortWhenClosed } from '../../platform/basics/abort-when-closed.ts'
import { type Caller, rateKey } from '../../platform/identity/caller.ts'
import type { Lock } from '../../platform/locks/lock.ts'
import type { Identity } from './identify.ts'
import { answerHeaders, callOf, challengeOf, readCall } from './operation-call.ts'
import { inputReader } from './route-input.ts'

declare module 'fastify' {
  interface FastifyRequest {
    identity: Identity
    /** The lock on everything, where there is one and the owner looks at a page. */
    stopped: Lock | undefined
  }
  interface FastifyContextConfig {
    operation?: Operation
  }
}

/** What a caller with a credential may send at most. */
export const BODY_LIMIT_BYTES = 1_048_576
/** The same for the owner, where a file may come along: the largest that an intent takes, and the fields beside it. */
const FILE_BODY_LIMIT_BYTES = 6 * 1_048_576

/** Why a caller has to wait, if it has made too many calls. Asked before a body is read; the pipeline does the counting. */
export function findLimit(hub: Hub, caller: Caller): Refusal | undefined {
  const wait = hub.limits.wait(rateKey(caller))
  return wait > 0 ? new Refusal('RATE_LIMITED', undefined, wait) : undefined
}

/** Gives every operation with a REST binding its route. */
export function addOperationRoutes(app: FastifyInstance, hub: Hub, registry: Registry): void {
  app.addHook('preClose', async () => hub.stopping.abort())
  for (const operation of registry.values()) {
    if (!operation.rest) continue
    const [method, path] = operation.rest.split(' ') as [HTTPMethods, string]
    const route = { operation, readInput: inputReader(operation) }
    app.route({
      method,
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      config: { operation },
      bodyLimit: operation.takesFile ? FILE_BODY_LIMIT_BYTES : BODY_LIMIT_BYTES,
      // Refused before the body is read: what a stranger sends is not worth parsing.
      onRequest: async (request, reply) => {
        const { refused, caller } = request.identity
        if (refused || caller.kind === 'anonymous')
          return refuseRequest(hub, request, reply, operation, refused)
        const limited = findLimit(hub, caller) ?? findOversize(operation, request)
        if (limited) return refuseRequest(hub, request, reply, operation, undefined, limited)
      },
      handler: async (request, reply) =>
        sendAnswer(reply, await answerRequest(hub, request, reply, route), operation),
    })
  }
}

/** A file is the owner's to send: from anybody else no body is read that is larger than bodies are, or does not say. */
function findOversize(operation: Operation, { identity, headers }: FastifyRequest): Refusal | undefined {
  if (!operation.takesFile || identity.caller.kind === 'owner_session') return undefined
  const bytes = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY)
  return bytes > BODY_LIMIT_BYTES ? new Refusal('PAYLOAD_TOO_LARGE') : undefined
}

interface Route {
  readonly operation: Operation
  readonly readInput: ReturnType<typeof inputReader>
}

function answerRequest(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  { operation, readInput }: Route,
): Promise<Answer> {
  const call = readCall(operation, request.identity, request.headers, () => readInput(request))
  // What reaches outside the hub can be called off, and so can waiting. No other read takes long.
  if (operation.effect === 'read' && !operation.waits) return runOperation(hub, call)
  const left = abortWhenClosed(reply.raw)
  // What has been begun is finished when the hub stops; waiting is not.
  return runOperation(hub, {
    ...call,
    signal: operation.waits ? AbortSignal.any([left, hub.stopping.signal]) : left,
  })
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
  const { origin, pinned } = reply.request.identity
  const challenge = challengeOf(operation, origin, pinned)
  for (const [name, value] of answerHeaders(answer, challenge)) reply.header(name, value)
  return reply.code(answer.status).send(answer.status === 204 ? '' : answer.text)
}
