import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Operation } from '../../../operations/define-operation.ts'
import { Refusal } from '../../../operations/errors.ts'
import type { Hub } from '../../../operations/hub.ts'
import { type Answer, runOperation } from '../../../operations/run-operation.ts'
import { hashSecret, isSecret } from '../../../platform/basics/secret-hash.ts'
import { callOf } from '../operation-call.ts'
import { findCookie, isSameOrigin, setCookie } from './owner-cookies.ts'

export type Fields = Readonly<Record<string, string>>

const FORM_LIMIT_BYTES = 65_536
const FIELDS_LIMIT = 64
const VISIT = /^[0-9a-f]{32}$/

/** Takes forms, each field once. */
export function addFormReader(app: FastifyInstance): void {
  const type = 'application/x-www-form-urlencoded'
  app.addContentTypeParser(
    type,
    { parseAs: 'string', bodyLimit: FORM_LIMIT_BYTES },
    (_request, body, done) => {
      const fields = findFields(body as string)
      if (fields) done(null, fields)
      else done(new Refusal('BAD_REQUEST', 'A field of the form is repeated, or there are too many.'))
    },
  )
}

function findFields(body: string): Fields | undefined {
  // Looked at before anything is built of it.
  if (body.split('&', FIELDS_LIMIT + 1).length > FIELDS_LIMIT) return undefined
  const pairs = [...new URLSearchParams(body)]
  const fields = Object.fromEntries(pairs)
  return Object.keys(fields).length < pairs.length ? undefined : fields
}

/** The fields of a request's body, whether a form or JSON. */
export function fieldsOf({ body }: FastifyRequest): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
}

/** One field as text. */
export function fieldOf(request: FastifyRequest, name: string): string {
  const value = fieldsOf(request)[name]
  return typeof value === 'string' ? value : ''
}

/**
 * What a form of this visitor has to bring back: a secret that only a page of ours could read. It follows
 * from a cookie, so nothing is stored; who has none yet is given one.
 */
export function formToken(hub: Hub, request: FastifyRequest, reply: FastifyReply): string {
  const known = formSecret(request)
  if (known !== undefined) return tokenOf(known)
  const made = hub.system.random(16)
  reply.header('set-cookie', setCookie('visit', made, request.identity.origin))
  return tokenOf(made)
}

function formSecret(request: FastifyRequest): string | undefined {
  if (request.identity.caller.kind === 'owner_session')
    return findCookie('owner', request.raw, request.identity.origin)
  return visitSecret(request)
}

function visitSecret(request: FastifyRequest): string | undefined {
  const visit = findCookie('visit', request.raw, request.identity.origin)
  return visit !== undefined && VISIT.test(visit) ? visit : undefined
}

function tokenOf(secret: string): string {
  return hashSecret(`form:${secret}`)
}

/**
 * Why a form may not count: it comes from elsewhere, or from a page that is no longer the visitor's. Whoever was led here
 * by another site got the page without the session's cookie, and sends the form with it: where a session begins anew, and
 * the one that is there opens nothing, the page of that visit counts too.
 */
function findFormFault(request: FastifyRequest, begins: boolean): Refusal | undefined {
  if (request.identity.refused) return request.identity.refused
  if (!isSameOrigin(request.raw, request.identity.origin)) return new Refusal('ORIGIN_DENIED')
  const secrets = [formSecret(request), begins ? visitSecret(request) : undefined]
  const token = fieldOf(request, 'form_token')
  const isOurs = secrets.some(
    (secret) => secret !== undefined && isSecret(token, hashSecret(tokenOf(secret))),
  )
  return isOurs ? undefined : new Refusal('FORBIDDEN', 'The page is out of date. Load it again.')
}

interface FormWish {
  readonly vault?: string
  readonly refused?: Refusal | undefined
  /** Whether the form begins a session. */
  readonly begins?: boolean
}

/**
 * Carries out what a form asks for. Forms that may not count are refused by the pipeline, and so recorded; a page may
 * have a reason of its own for that, and may be about another vault than the default one.
 */
export async function runForm(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
  input: unknown,
  { vault, refused, begins = false }: FormWish = {},
): Promise<Answer> {
  const { identity, headers } = request
  const meant = callOf(operation, identity, headers, input, findFormFault(request, begins) ?? refused)
  const call = vault === undefined ? meant : { ...meant, vault }
  const answer = await runOperation(hub, call)
  if (answer.retry_after_seconds) reply.header('retry-after', String(answer.retry_after_seconds))
  return answer
}

/** The sentence of a refusal: the owner's surface has a body of its own for it, the rest of the hub another. */
export function faultOf({ text }: Answer): string {
  const { error } = JSON.parse(text) as { error: string | { message: string } }
  return typeof error === 'string' ? error : error.message
}
