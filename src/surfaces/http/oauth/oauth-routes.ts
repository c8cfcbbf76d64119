import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { oauthErrors } from '../../../domains/control/consents/oauth-errors.ts'
import {
  mcpAuthorizationRequest,
  mcpClientRegister,
  mcpDeviceRequest,
  mcpTokenIssue,
  mcpTokenRefresh,
} from '../../../domains/control/consents/sign-in-records.ts'
import { checkAttempt, type Tried } from '../../../domains/control/owner/sign-in-attempts.ts'
import type { Operation } from '../../../operations/define-operation.ts'
import { Refusal } from '../../../operations/errors.ts'
import type { Hub } from '../../../operations/hub.ts'
import { type Answer, runOperation } from '../../../operations/run-operation.ts'
import {
  countOauthRecords,
  findOauthRecord,
  removeOldestOauthClient,
} from '../../../platform/identity/mcp/oauth-records.ts'
import {
  createDeviceGrant,
  DEVICE_TTL_SECONDS,
  isForMcp,
  POLL_INTERVAL_SECONDS,
  pollDeviceGrant,
  useDeviceGrant,
} from '../../../platform/identity/owner-device-grants.ts'
import { StorageUnavailable } from '../../../platform/storage/database.ts'
import type { Identity } from '../identify.ts'
import { callOf } from '../operation-call.ts'
import { fieldsOf } from '../owner/owner-forms.ts'
import { html } from '../owner/views/html.ts'
import { sendPage } from '../owner/views/page-layout.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import type { ProviderAnswer } from './call-provider.ts'
import { isLoopbackRedirect, readAuthorization, readExchange, readRegistration } from './check-request.ts'
import { withIssuer } from './issuer.ts'
import { REQUEST_SECONDS, UNUSED_CLIENT_SECONDS } from './lifetimes.ts'
import { baseOf } from './metadata.ts'

const CLIENT_LIMIT = 1_000
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** The sign-in for MCP as programs see it, and how its answers are sent. */
export interface SignIn {
  readonly hub: Hub
  /** Loads the library where that has not been done. */
  readonly server: () => Promise<AuthorizationServer>
}

/** What a step came to: an answer to send once it is on record, or why there is none. */
type Outcome = { readonly send: unknown; readonly about?: { kind: string; id: string } } | Refusal

/** A program registers itself (RFC 7591). */
export function addRegistration(app: FastifyInstance, signIn: SignIn, send: SendJson): void {
  app.post('/oauth/register', async (request, reply) => {
    const made = await step(signIn, request, mcpClientRegister, 'client_registration', async () => {
      const wanted = readRegistration(request.body)
      if (!(await hasRoom(signIn.hub))) return new Refusal('too_many_clients', undefined, REQUEST_SECONDS)
      const server = await signIn.server()
      const body = JSON.stringify(wanted)
      const headers = { 'content-type': 'application/json' }
      const answer = await server.ask({ method: 'POST', path: '/oauth/register', headers, body })
      return outcomeOf(answer, { kind: 'mcp_client', id: String(answer.body.client_id) })
    })
    return send(request, reply.code(made.answer.ok ? 201 : made.answer.status), made)
  })
}

/**
 * Whether one more program may register. In a flood those make room that nobody has allowed anything, and whose request
 * is over: it shuts nobody out for longer than that.
 */
async function hasRoom({ db, system }: Hub): Promise<boolean> {
  const now = system.now()
  if ((await countOauthRecords(db, 'Client', now)) < CLIENT_LIMIT) return true
  const asked_before = now.getTime() - REQUEST_SECONDS * 1_000
  return db.transaction((tx) =>
    removeOldestOauthClient(tx, new Date(asked_before + UNUSED_CLIENT_SECONDS * 1_000)),
  )
}

/** A program sends the owner's browser here. Its fault is told to it only where that stays on this machine. */
export function addAuthorization(pages: FastifyInstance, signIn: SignIn): void {
  pages.get('/oauth/authorize', async (request, reply) => {
    let onwards: string | undefined
    const { answer } = await step(
      signIn,
      request,
      mcpAuthorizationRequest,
      'authorization_request',
      async () => {
        const asked = readAuthorization(request.query as Record<string, unknown>, baseOf(request))
        const server = await signIn.server()
        const { location, body } = await server.ask({ method: 'GET', path: `/oauth/authorize?${asked}` })
        const client = { kind: 'mcp_client', id: asked.get('client_id') ?? '-' }
        if (location?.startsWith('/oauth/consent/')) return { send: (onwards = location), about: client }
        const fault = location === undefined ? body.error : new URL(location).searchParams.get('error')
        if (isLoopbackRedirect(location)) onwards = withIssuer(location as string, baseOf(request))
        return refusalOf(fault)
      },
    )
    if (onwards !== undefined && (answer.ok || answer.status === 400)) return reply.redirect(onwards, 303)
    return sendStartAgain(reply, answer.status, 'This sign-in cannot go on', faultWords(answer))
  })
}

/** A page for the person whose program came to nothing here. */
export function sendStartAgain(
  reply: FastifyReply,
  status: number,
  title: string,
  fault: string,
): FastifyReply {
  const body = html`<div class="card plain">Start again in your program: it asks anew, and this page comes back with the request. If it fails again, remove what the program has kept of this hub first.</div>`
  return sendPage(reply, status, { title, fault, body, form_action: '' })
}

function faultWords({ text }: Answer): string {
  return (JSON.parse(text) as { error: { message: string } }).error.message
}

/** Exchanges codes and refresh tokens. */
export async function exchangeToken(signIn: SignIn, request: FastifyRequest): Promise<Made> {
  const fields = fieldsOf(request)
  const isRefresh = fields.grant_type === 'refresh_token'
  return step(signIn, request, isRefresh ? mcpTokenRefresh : mcpTokenIssue, 'mcp_token', async () => {
    const { hub } = signIn
    const asked = readExchange(fields, baseOf(request))
    const presented = asked.get(isRefresh ? 'refresh_token' : 'code') ?? ''
    const record = await findOauthRecord(
      hub.db,
      isRefresh ? 'RefreshToken' : 'AuthorizationCode',
      presented,
      hub.system.now(),
    )
    // What is stopped costs the program nothing: it may come again with the same token.
    if (record?.consent_id && (await hub.locks.find(record.consent_id))) return new Refusal('LOCKED')
    const server = await signIn.server()
    const question = { method: 'POST', path: '/oauth/token', headers: FORM, body: asked.toString() } as const
    const answer = isRefresh ? await server.refresh(question, presented) : await server.ask(question)
    return outcomeOf(answer, { kind: 'consent', id: record?.consent_id ?? '-' })
  })
}

/** A program without a browser asks by a code (RFC 8628). */
export function requestDevice(signIn: SignIn, request: FastifyRequest): Promise<Made> {
  return step(signIn, request, mcpDeviceRequest, 'device_request', async () => {
    const { hub } = signIn
    const client_id = String(fieldsOf(request).client_id ?? '')
    const client_name = await (await signIn.server()).findClientName(client_id)
    if (client_name === undefined) return new Refusal('invalid_client')
    const wanted = { client_id, client_name }
    const made = await hub.db.transaction((tx) => createDeviceGrant(tx, hub.system, wanted, 'mcp_pending'))
    if (!made) return new Refusal('RATE_LIMITED', undefined, POLL_INTERVAL_SECONDS)
    const { device_code, user_code, grant } = made
    const codes = { device_code, user_code, expires_in: DEVICE_TTL_SECONDS, interval: POLL_INTERVAL_SECONDS }
    return { send: codes, about: { kind: 'owner_device_grant', id: grant.grant_id } }
  })
}

/** Exchanges the code of such a program; undefined where it is none of ours. */
export async function exchangeDevice(signIn: SignIn, request: FastifyRequest): Promise<Made | undefined> {
  const { hub } = signIn
  const { client_id, device_code } = fieldsOf(request)
  if (request.identity.refused || typeof device_code !== 'string' || !(await isForMcp(hub.db, device_code)))
    return undefined
  return step(signIn, request, mcpTokenIssue, undefined, async () => {
    const now = hub.system.now()
    const verdict = await hub.db.transaction((tx) => pollDeviceGrant(tx, device_code, String(client_id), now))
    if (typeof verdict === 'string') return new Refusal(verdict)
    const { consent_id, client_id: client } = verdict
    const used = await hub.db.transaction((tx) =>
      useDeviceGrant(tx, device_code, client, now, 'mcp_approved'),
    )
    if (!used || consent_id === null) return new Refusal('invalid_grant')
    const tokens = await (await signIn.server()).issueByDevice(client, consent_id).catch(() => undefined)
    return tokens
      ? { send: tokens, about: { kind: 'consent', id: consent_id } }
      : new Refusal('invalid_grant')
  })
}

export interface Made {
  readonly answer: Answer
  readonly send: unknown
}
export type SendJson = (request: FastifyRequest, reply: FastifyReply, made: Made) => FastifyReply

/** Carries a step out and puts it on record; only then anything of it leaves. */
async function step(
  { hub }: SignIn,
  request: FastifyRequest,
  operation: Operation,
  attempt: Tried | undefined,
  act: () => Promise<Outcome>,
): Promise<Made> {
  const { identity, headers } = request
  const outcome = identity.refused ?? (await attemptStep(hub, identity, attempt, act))
  const refused = outcome instanceof Refusal ? outcome : undefined
  const input = outcome instanceof Refusal || !outcome.about ? {} : { about: outcome.about }
  const answer = await runOperation(hub, callOf(operation, identity, headers, input, refused))
  return { answer, send: outcome instanceof Refusal ? undefined : outcome.send }
}

async function attemptStep(
  hub: Hub,
  { address, origin }: Identity,
  attempt: Tried | undefined,
  act: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    if (attempt) await checkAttempt({ hub, address, origin }, attempt)
    return await act()
  } catch (error) {
    if (error instanceof Refusal) return error
    if (error instanceof StorageUnavailable) return new Refusal('STORAGE_UNAVAILABLE')
    hub.log.error({ fault: (error as Error).name }, 'a sign-in for MCP failed')
    return new Refusal('RUNTIME_ERROR')
  }
}

function outcomeOf({ status, body }: ProviderAnswer, about: { kind: string; id: string }): Outcome {
  return status < 300 ? { send: body, about } : refusalOf(body.error)
}

/** The library's word for a fault, in ours: what it says beside it may repeat what was sent, and stays behind. */
function refusalOf(fault: unknown): Refusal {
  if (fault === 'server_error' || fault === undefined || fault === null) return new Refusal('RUNTIME_ERROR')
  const code = String(fault)
  return Object.hasOwn(oauthErrors.table, code) ? new Refusal(code) : new Refusal('BAD_REQUEST')
}
