import type { FastifyReply, FastifyRequest } from 'fastify'
import { COMMON_ERRORS } from '../../operations/errors.ts'
import type { Hub } from '../../operations/hub.ts'
import { errorTypeOf, surfaceErrors } from '../../operations/owner-errors.ts'
import { requestHeaders } from './operation-call.ts'

/** Where the owner's surface is: its callers read one form of refusal, also where there is nothing. */
const OWNERS = /^\/(?:v1|_ref)(?:\/|$)/

/** Answers a request for which there is nothing, in the form that its part of the hub speaks. */
export function answerUnknown(hub: Hub, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.code(404).type('application/json; charset=utf-8')
  const { message } = COMMON_ERRORS.NOT_FOUND
  if (!OWNERS.test(request.url.split('?', 1)[0] ?? ''))
    return reply.send({ error: message, code: 'NOT_FOUND' })
  const request_id = `req_${hub.system.random(8)}`
  for (const [name, value] of requestHeaders(request_id)) reply.header(name, value)
  const { status, message: said } = surfaceErrors.table.not_found
  return reply.send({ error: { type: errorTypeOf(status), code: 'not_found', message: said, request_id } })
}
