import { z } from 'zod'
import { hubOwner } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { insertLock } from '../../../platform/locks/lock-store.ts'
import { lockId } from './lock-target.ts'
import { LockIdInput, LockKindInput, LockWire, watchErrors } from './watch-schemas.ts'

const REASON_CHARS = 200

export const LockAddOutput = z.strictObject({ schema: z.literal('knowtation.lock/v0'), lock: LockWire })

export const lockAdd = defineOperation({
  name: 'lock_add',
  summary: 'Stop an agent, a service or all calls at once, until the lock is released.',
  effect: 'create',
  idempotent: true,
  authority: hubOwner(),
  whileLocked: true,
  rest: 'POST /api/v1/locks',
  cli: 'lock <kind> <id>',
  errors: watchErrors.pick('too_many_locks'),
  input: z.strictObject({
    kind: LockKindInput,
    id: LockIdInput,
    reason: z.string().trim().min(1).max(REASON_CHARS).optional().describe('Why, for whoever releases it'),
  }),
  output: LockAddOutput,
  present: async () => (await import('./present-watch.ts')).presentNewLock,
  made: ({ lock }) => ({ kind: `lock_${lock.kind}`, id: lock.id }),
  async handle({ input, caller, db, hub, now, refuse }) {
    const lock = await insertLock(db, hub.system, {
      kind: input.kind,
      id: lockId(input),
      reason: input.reason ?? null,
      locked_at: now.toISOString(),
      locked_by: `${caller.kind}:${caller.id}`,
    })
    if (!lock) return refuse('too_many_locks')
    return { schema: 'knowtation.lock/v0' as const, lock }
  },
})
