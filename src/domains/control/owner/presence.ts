import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { errorTable } from '../../../operations/errors.ts'
import { decidePresence, findPresence, openedInput } from '../../../platform/identity/owner-presence.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'

const presenceErrors = errorTable({
  unknown_presence: {
    status: 404,
    message: 'There is nothing like that to confirm, or its time is over.',
    hint: 'Run the command again: it asks anew.',
  },
})
const errors = presenceErrors.pick('unknown_presence')
const PresenceId = z
  .string()
  .regex(/^opres_[0-9a-f]{16}$/)
  .describe('The id of what is to be confirmed, as the address has it')
const States = z.enum(['waiting', 'confirmed', 'refused', 'used'])

const PresenceOutput = z.strictObject({
  object: z.literal('owner_presence'),
  presence_id: PresenceId,
  state: States,
  digest: z.string(),
  operation: z.string(),
  summary: z.string(),
  vault_id: z.string(),
  input: z.unknown(),
  created_at: z.string(),
  expires_at: z.string(),
})

/** What a command line on the home would open. Only a page shows it: the command that asks must not answer. */
export const ownerPresenceShow = defineOwnerOperation({
  name: 'owner_presence_show',
  summary: 'Show what a command on the home would open.',
  effect: 'read',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'GET /v1/owner/presence/{presence_id}',
  errors,
  input: z.strictObject({ presence_id: PresenceId }),
  output: PresenceOutput,
  async handle({ input, db, hub, now, refuse }) {
    const found = await findPresence(db, input.presence_id)
    if (!found || found.expires_at <= now.toISOString()) return refuse('unknown_presence')
    const { input_sealed: _, ...shown } = found
    const operation = await hub.findOperation(found.operation)
    const what = { summary: operation?.summary ?? '', input: openedInput(hub, found) }
    return { object: 'owner_presence' as const, ...shown, ...what }
  },
})

/** The owner's tap: it counts once, for just what was shown. */
export const ownerPresenceDecide = defineOwnerOperation({
  name: 'owner_presence_decide',
  summary: 'Confirm what a command on the home would open, or refuse it.',
  effect: 'update',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'POST /v1/owner/presence/{presence_id}/decision',
  errors,
  target: ({ presence_id }) => ({ kind: 'owner_presence', id: presence_id }),
  input: z.strictObject({
    presence_id: PresenceId,
    digest: z.string().max(100).describe('The digest of what was shown'),
    decision: z.enum(['confirm', 'refuse']).describe('Let it go on, or not'),
  }),
  output: z.strictObject({ object: z.literal('owner_presence'), presence_id: PresenceId, state: States }),
  async handle({ input: { presence_id, digest, decision }, db, now, refuse, caller }) {
    // Whoever types the command would else confirm it, too.
    if (caller.kind !== 'owner_session') return refuse('permission_error')
    const confirmed = decision === 'confirm'
    if (!(await decidePresence(db, { presence_id, digest, confirmed }, now)))
      return refuse('unknown_presence')
    return { object: 'owner_presence' as const, presence_id, state: confirmed ? 'confirmed' : 'refused' }
  },
})
