import { z } from 'zod'
import { anyVisitor, ownerSurface } from '../../../operations/authority.ts'
import type { Context } from '../../../operations/define-operation.ts'
import {
  createDeviceGrant,
  DEVICE_TTL_SECONDS,
  type DeviceGrant,
  decideDeviceGrant,
  findDeviceGrant,
  POLL_INTERVAL_SECONDS,
} from '../../../platform/identity/owner-device-grants.ts'
import { findUserCode } from '../../../platform/identity/owner-user-code.ts'
import type { Reader } from '../../../platform/storage/database.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { ClientId, ClientName, identityErrors, UserCode } from './owner-schemas.ts'
import { checkAttempt } from './sign-in-attempts.ts'

/** A program asks to become an agent of the owner's (RFC 8628, device authorization request). */
export const ownerDeviceRequest = defineOwnerOperation({
  name: 'owner_device_request',
  summary: "Ask to become an owner agent: codes that wait for the owner's word.",
  effect: 'create',
  authority: anyVisitor(),
  isAsking: true,
  rest: 'POST /oauth/device_authorization',
  errors: identityErrors.pick('too_many_waiting'),
  input: z.strictObject({
    client_id: ClientId,
    client_name: ClientName.optional(),
    scope: z.enum(['owner', '']).optional(),
  }),
  output: z.strictObject({
    grant_id: z.string(),
    device_code: z.string(),
    user_code: z.string(),
    expires_in: z.int(),
    interval: z.int(),
  }),
  made: ({ grant_id }) => ({ kind: 'owner_device_grant', id: grant_id }),
  check: (context) => checkAttempt(context, 'device_request'),
  async handle({ input, db, hub, refuse }) {
    const { client_id, client_name = client_id } = input
    const made = await createDeviceGrant(db, hub.system, { client_id, client_name })
    if (!made) return refuse('too_many_waiting')
    const { grant, device_code, user_code } = made
    const { grant_id } = grant
    return {
      grant_id,
      device_code,
      user_code,
      expires_in: DEVICE_TTL_SECONDS,
      interval: POLL_INTERVAL_SECONDS,
    }
  },
})

const Waiting = z.strictObject({
  object: z.literal('owner_device_request'),
  user_code: z.string(),
  client_id: z.string(),
  client_name: z.string(),
  /** To act for the owner, or to come in at MCP: about that the owner decides on a page. */
  asks_for: z.enum(['owner', 'mcp']),
  state: z.enum(['pending', 'approved', 'denied']),
  created_at: z.string(),
  expires_at: z.string(),
})
// Codes are short, so tries at them are counted even for the owner.
const input = z.strictObject({ user_code: UserCode.describe('The code that the program shows') })
const errors = identityErrors.pick('unknown_user_code')

export const ownerDeviceShow = defineOwnerOperation({
  name: 'owner_device_show',
  summary: 'Show the program that waits with a code to become an owner agent.',
  effect: 'read',
  authority: ownerSurface({ session_only: true }),
  rest: 'GET /v1/owner/devices/{user_code}',
  cli: 'owner device show <user_code>',
  errors,
  input,
  output: Waiting,
  async handle(context) {
    await checkAttempt(context, 'user_code')
    const { grant, user_code } = await requireWaiting(context, context.db, 'mcp_pending')
    return show(grant, user_code, 'pending')
  },
})

export const ownerDeviceApprove = defineOwnerOperation({
  name: 'owner_device_approve',
  opens: true,
  summary: 'Approve the program that waits with a code: it becomes an owner agent.',
  effect: 'update',
  authority: ownerSurface({ session_only: true }),
  rest: 'POST /v1/owner/devices/{user_code}/approve',
  cli: 'owner device approve <user_code>',
  errors,
  input,
  output: Waiting,
  check: (context) => checkAttempt(context, 'user_code'),
  handle: (context) => decide(context, 'approved'),
})

export const ownerDeviceDeny = defineOwnerOperation({
  name: 'owner_device_deny',
  summary: 'Send the program away that waits with a code to become an owner agent.',
  effect: 'update',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'POST /v1/owner/devices/{user_code}/deny',
  cli: 'owner device deny <user_code>',
  errors,
  input,
  output: Waiting,
  check: (context) => checkAttempt(context, 'user_code'),
  handle: (context) => decide(context, 'denied'),
})

type OwnContext<E extends 'read' | 'update'> = Context<z.output<typeof input>, keyof typeof errors, E>

async function decide(context: OwnContext<'update'>, state: 'approved' | 'denied') {
  const { caller, db, now, note, refuse } = context
  const { grant, user_code } = await requireWaiting(context, db)
  const decided_by = `${caller.kind}:${caller.id}`
  if (!(await decideDeviceGrant(db, grant.grant_id, { state, decided_by }, now)))
    return refuse('unknown_user_code')
  note(`owner_device_${state}`, { kind: 'owner_device_grant', id: grant.grant_id })
  return show(grant, user_code, state)
}

async function requireWaiting(
  { input: { user_code: typed }, now, refuse }: Omit<OwnContext<'read' | 'update'>, 'db'>,
  db: Reader,
  also?: 'mcp_pending',
): Promise<{ grant: DeviceGrant; user_code: string }> {
  const user_code = findUserCode(typed)
  const grant =
    user_code &&
    ((await findDeviceGrant(db, user_code, now)) ??
      (also && (await findDeviceGrant(db, user_code, now, also))))
  return grant ? { grant, user_code: user_code as string } : refuse('unknown_user_code')
}

function show(
  { client_id, client_name, created_at, expires_at, state: stored }: DeviceGrant,
  user_code: string,
  state: 'pending' | 'approved' | 'denied',
) {
  const object = 'owner_device_request' as const
  const asks_for = stored === 'mcp_pending' ? ('mcp' as const) : ('owner' as const)
  return { object, user_code, client_id, client_name, asks_for, state, created_at, expires_at }
}
