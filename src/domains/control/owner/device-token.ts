import { z } from 'zod'
import { anyVisitor } from '../../../operations/authority.ts'
import type { Call } from '../../../operations/call.ts'
import { errorTable, Refusal } from '../../../operations/errors.ts'
import type { Hub } from '../../../operations/hub.ts'
import { type Answer, runOperation } from '../../../operations/run-operation.ts'
import { AGENT_TTL_SECONDS, createOwnerAgent } from '../../../platform/identity/owner-agents.ts'
import { pollDeviceGrant, useDeviceGrant } from '../../../platform/identity/owner-device-grants.ts'
import { StorageUnavailable } from '../../../platform/storage/database.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { ClientId } from './owner-schemas.ts'
import { checkAttempt } from './sign-in-attempts.ts'

/** What RFC 8628 has a program told that asks for its bearer. */
const pollErrors = errorTable({
  authorization_pending: { status: 400, message: 'The owner has not answered yet.' },
  slow_down: { status: 400, message: 'Asked too soon: wait five seconds longer from now on.' },
  access_denied: { status: 400, message: 'The owner said no.' },
  expired_token: { status: 400, message: 'The time for this code is over. Begin again.' },
  invalid_grant: { status: 400, message: 'There is no such code for this client.' },
})

const PollInput = z.strictObject({
  client_id: ClientId,
  device_code: z.string().regex(/^kdev_[0-9a-f]{64}$/),
})

/** Gives the bearer out, once, for an approved code. */
const ownerDeviceToken = defineOwnerOperation({
  name: 'owner_device_token',
  summary: 'Exchange an approved device code for the bearer of an owner agent.',
  effect: 'create',
  authority: anyVisitor(),
  rest: 'POST /oauth/token',
  errors: pollErrors.table,
  input: PollInput,
  output: z.strictObject({
    agent_id: z.string(),
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    scope: z.literal('owner'),
    pdpp_token_kind: z.literal('owner'),
  }),
  made: ({ agent_id }) => ({ kind: 'owner_agent', id: agent_id }),
  async handle({ input, db, hub, now, refuse }) {
    const grant = await useDeviceGrant(db, input.device_code, input.client_id, now)
    if (!grant) return refuse('invalid_grant')
    const { client_id, client_name, decided_by } = grant
    const wanted = { client_id, client_name, approved_by: decided_by ?? '-' }
    const { agent, bearer } = await createOwnerAgent(db, hub.system, wanted)
    return {
      agent_id: agent.agent_id,
      access_token: bearer,
      token_type: 'Bearer' as const,
      expires_in: AGENT_TTL_SECONDS,
      scope: 'owner' as const,
      pdpp_token_kind: 'owner' as const,
    }
  },
})

/**
 * Answers a program that asks whether the owner has decided. That it asked is kept even when it gets nothing:
 * a refusal undoes the operation's own transaction, so it is noted before.
 */
export async function exchangeDeviceCode(hub: Hub, call: Omit<Call, 'operation'>): Promise<Answer> {
  const operation = ownerDeviceToken
  const parsed = PollInput.safeParse(call.input)
  if (call.refused || !parsed.success) return runOperation(hub, { ...call, operation })
  const refused = await findObjection(hub, parsed.data, call)
  return runOperation(hub, { ...call, operation, ...(refused && { refused }) })
}

async function findObjection(
  hub: Hub,
  { device_code, client_id }: z.infer<typeof PollInput>,
  { address, origin }: Pick<Call, 'address' | 'origin'>,
): Promise<Refusal | undefined> {
  try {
    const now = hub.system.now()
    const verdict = await hub.db.transaction((tx) => pollDeviceGrant(tx, device_code, client_id, now))
    // Only codes that there are not are counted: who waits for the owner may ask as long as the code lives.
    if (verdict === 'invalid_grant') await checkAttempt({ hub, address, origin }, 'device_token')
    return typeof verdict === 'string' ? new Refusal(verdict) : undefined
  } catch (error) {
    if (error instanceof Refusal) return error
    if (error instanceof StorageUnavailable) return new Refusal('STORAGE_UNAVAILABLE')
    throw error
  }
}
