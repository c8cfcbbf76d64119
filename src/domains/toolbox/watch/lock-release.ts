import { z } from 'zod'
import { hubOwner } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { deleteLock } from '../../../platform/locks/lock-store.ts'
import { lockId } from './lock-target.ts'
import { LockIdInput, LockKindInput, LockWire, watchErrors } from './watch-schemas.ts'

export const LockReleaseOutput = z.strictObject({ schema: z.literal('knowtation.lock/v0'), lock: LockWire })

export const lockRelease = defineOperation({
  name: 'lock_release',
  opens: true,
  summary: 'Take a lock away, so that calls go on. Locks of other kinds stay.',
  effect: 'delete',
  authority: hubOwner(),
  whileLocked: true,
  rest: 'DELETE /api/v1/locks/{kind}',
  cli: 'lock release <kind> <id>',
  errors: watchErrors.pick('unknown_lock'),
  input: z.strictObject({ kind: LockKindInput, id: LockIdInput }),
  output: LockReleaseOutput,
  present: async () => (await import('./present-watch.ts')).presentReleasedLock,
  made: ({ lock }) => ({ kind: `lock_${lock.kind}`, id: lock.id }),
  async handle({ input, db, hub, refuse }) {
    const lock = await deleteLock(db, hub.system, input.kind, lockId(input))
    if (!lock) return refuse('unknown_lock')
    return { schema: 'knowtation.lock/v0' as const, lock }
  },
})
