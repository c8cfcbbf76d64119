import { z } from 'zod'
import { hubOwner } from '../../../operations/authority.ts'
import { ActOutside, defineOperation } from '../../../operations/define-operation.ts'
import { deleteLock } from '../../../platform/locks/lock-store.ts'
import { lockId } from './lock-target.ts'
import { watchErrors } from './watch-errors.ts'
import { LockIdInput, LockKindInput, LockWire } from './watch-schemas.ts'

export const lockRelease = defineOperation({
  name: 'lock_release',
  summary: 'Take a lock away, so that calls go on. Locks of other kinds stay.',
  effect: 'delete',
  authority: hubOwner(),
  whileLocked: true,
  rest: 'DELETE /api/v1/locks/{kind}',
  cli: 'lock release <kind> <id>',
  errors: watchErrors.pick('unknown_lock'),
  input: z.strictObject({ kind: LockKindInput, id: LockIdInput }),
  output: z.strictObject({ schema: z.literal('knowtation.lock/v0'), lock: LockWire }),
  async handle({ input, db, hub, refuse }) {
    const lock = await deleteLock(db, hub.system, input.kind, lockId(input))
    if (!lock) return refuse('unknown_lock')
    const refreshed = async () => {
      hub.locks.refresh()
      return { schema: 'knowtation.lock/v0' as const, lock }
    }
    return new ActOutside(refreshed, { kind: `lock_${lock.kind}`, id: lock.id })
  },
})
