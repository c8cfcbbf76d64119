import { z } from 'zod'
import { hubOwner } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { listLocks } from '../../../platform/locks/lock-store.ts'
import { LockWire } from './watch-schemas.ts'

const LIST_LIMIT = 1_000

export const lockList = defineOperation({
  name: 'lock_list',
  summary: 'List what is locked: agents, services, or everything.',
  effect: 'read',
  authority: hubOwner(),
  whileLocked: true,
  rest: 'GET /api/v1/locks',
  cli: 'lock list',
  errors: {},
  input: z.strictObject({}),
  output: z.strictObject({
    schema: z.literal('knowtation.lock_list/v0'),
    locks: z.array(LockWire),
    truncated: z.boolean(),
  }),
  async handle({ db }) {
    const found = await listLocks(db, LIST_LIMIT + 1)
    return {
      schema: 'knowtation.lock_list/v0',
      locks: found.slice(0, LIST_LIMIT),
      truncated: found.length > LIST_LIMIT,
    }
  },
})
