import { z } from 'zod'
import { errorTable } from '../../../operations/errors.ts'
import type { OwnerAgent } from '../../../platform/identity/owner-agents.ts'
import { SIGN_IN_METHODS } from '../../../platform/identity/owner-sessions.ts'

/** What can go wrong when somebody wants to be the owner, or an agent of theirs. */
export const identityErrors = errorTable({
  invalid_credentials: { status: 401, message: 'That did not prove that you are the owner.' },
  link_invalid: { status: 401, message: 'The link was used before, or its time is over.' },
  already_set_up: { status: 409, message: 'The owner is set up already.' },
  not_set_up: { status: 409, message: 'The owner is not set up yet: open the link that the hub printed.' },
  weak_password: { status: 400, message: 'The password will not do.' },
  sign_in_again: {
    status: 403,
    message:
      'Give the password, too: this changes what proves that you are you, and you signed in a while ago.',
  },
  unknown_user_code: {
    status: 404,
    message: 'No program waits with this code; its time may be over.',
    hint: 'Compare the code with what the agent shows; it lives for five minutes.',
  },
  unknown_agent: {
    status: 404,
    message: 'There is no such agent.',
    hint: '`knowtation owner agent list` shows the agents.',
  },
  unknown_passkey: { status: 404, message: 'There is no such passkey.' },
  too_many_passkeys: { status: 409, message: 'There are as many passkeys as there may be.' },
  too_many_waiting: { status: 429, message: 'Too many programs wait for the owner already.' },
})

const Time = z.string()

export const SessionShape = z.strictObject({
  session_id: z.string().regex(/^oses_[0-9a-f]{16}$/),
  method: z.enum(SIGN_IN_METHODS),
  client: z.string(),
  created_at: Time,
  last_seen_at: Time,
  expires_at: Time,
  ended_at: Time.nullable(),
  proved_at: Time.nullable(),
})

/** What a sign-in gives: the bearer is for the cookie alone. */
export const SignedIn = z.strictObject({
  object: z.literal('owner_sign_in'),
  session: SessionShape,
  bearer: z.string(),
})

export const AgentId = z.string().regex(/^oagt_[0-9a-f]{16}$/)
export const AgentShape = z.strictObject({
  object: z.literal('owner_agent'),
  agent_id: AgentId,
  client_id: z.string(),
  client_name: z.string(),
  state: z.enum(['live', 'expired', 'revoked']),
  created_at: Time,
  approved_by: z.string(),
  expires_at: Time,
  revoked_at: Time.nullable(),
})

/** An agent as it is shown. */
export function showAgent(agent: OwnerAgent, now: Date) {
  const { revoked_at, expires_at } = agent
  // One that was refused as expired has its own end there.
  const isOver = revoked_at === expires_at || expires_at <= now.toISOString()
  const isRevoked = revoked_at !== null && revoked_at !== expires_at
  const state = isRevoked ? 'revoked' : isOver ? 'expired' : 'live'
  return { object: 'owner_agent' as const, ...agent, state: state as 'live' | 'expired' | 'revoked' }
}

/** The code as a person types it. */
export const UserCode = z.string().min(8).max(32)

export const ClientId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/)
/** Shown to the owner: printable, and nothing that could pass for more than one line. */
export const ClientName = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[\p{L}\p{N}\p{P}\p{S}\p{Zs}]+$/u)
