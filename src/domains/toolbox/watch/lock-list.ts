import { z } from 'zod'
import { hubOwner } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { cutPage, findPlace, type Place, pageInputs } from '../../../operations/page-cursor.ts'
import { LOCK_KINDS, type Lock } from '../../../platform/locks/lock.ts'
import { type LockPlace, listLocks } from '../../../platform/locks/lock-store.ts'
import { LockWire } from './watch-schemas.ts'

const LIST_LIMIT = 1_000
/** A cursor holds the id of a lock, and that may be a long path. */
const CURSOR_CHARS = 4_096

export const LockListOutput = z.strictObject({
  schema: z.literal('knowtation.lock_list/v0'),
  locks: z.array(LockWire),
  truncated: z.boolean(),
  next_cursor: z.string().nullable(),
})

export const lockList = defineOperation({
  name: 'lock_list',
  summary: 'List what is locked: agents, services, or everything; newest first.',
  effect: 'read',
  authority: hubOwner(),
  whileLocked: true,
  rest: 'GET /api/v1/locks',
  cli: 'lock list',
  errors: {},
  input: z.strictObject(pageInputs(LIST_LIMIT, LIST_LIMIT, CURSOR_CHARS)),
  output: LockListOutput,
  present: async () => (await import('./present-watch.ts')).presentLockList,
  async handle({ input, db, refuse }) {
    const { limit = LIST_LIMIT } = input
    const after = input.cursor === undefined ? undefined : lockAt(input.cursor)
    if (input.cursor !== undefined && !after)
      return refuse('BAD_REQUEST', 'cursor does not have the required form.')
    const found = await listLocks(db, limit + 1, after)
    const { items, next_cursor } = cutPage(found, limit, placeOf)
    return {
      schema: 'knowtation.lock_list/v0',
      locks: items,
      truncated: next_cursor !== null,
      next_cursor,
    }
  },
})

/** A lock is known by its kind and its id together. */
function placeOf({ kind, id, locked_at }: Lock): Place {
  return { at: locked_at, id: `${kind}:${id}` }
}

/** The place of a lock again; undefined for a text that no lock gave. */
function lockAt(cursor: string): LockPlace | undefined {
  const place = findPlace(cursor)
  const kind = LOCK_KINDS.find((one) => place?.id.startsWith(`${one}:`))
  return place && kind && { locked_at: place.at, kind, id: place.id.slice(kind.length + 1) }
}
