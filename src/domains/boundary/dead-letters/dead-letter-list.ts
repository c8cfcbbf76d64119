import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { cutPage, findPlace, pageInputs } from '../../../operations/page-cursor.ts'
import { type DeadLetterRow, listDeadLetters } from './dead-letter-store.ts'

const LIST_LIMIT = 200
const LIST_DEFAULT = 50

/** A dead letter without what is in it: that is for the ledger. */
const DeadLetter = z
  .strictObject({
    dead_letter_id: z.string(),
    run_id: z.string(),
    attempt: z.int(),
    reason: z.string(),
    created_at: z.string(),
    replayed_at: z.string().nullable(),
  })
  .meta({ id: 'BoundaryDeadLetter' })

export const DeadLetterListOutput = z.strictObject({
  schema: z.literal('knowtation.boundary_dead_letter_list/v0'),
  vault_id: z.string(),
  dead_letters: z.array(DeadLetter),
  next_cursor: z.string().nullable(),
})

export const deadLetterList = defineOperation({
  name: 'boundary_dead_letter_list',
  summary: 'List accepted answers that could not be written to the ledger, newest first.',
  effect: 'read',
  authority: vaultMember('admin'),
  rest: 'GET /api/v1/boundary/dead-letters',
  cli: 'boundary dead-letter list',
  errors: {},
  input: z.strictObject(pageInputs(LIST_LIMIT, LIST_DEFAULT)),
  output: DeadLetterListOutput,
  present: async () => (await import('./present-dead-letters.ts')).presentDeadLetters,
  async handle({ input, vault_id, db, refuse }) {
    const { limit = LIST_DEFAULT } = input
    const after = findPlace(input.cursor) ?? refuse('BAD_REQUEST', 'cursor does not have the required form.')
    const found = await listDeadLetters(db, { vault_id, after, limit: limit + 1 })
    const { items, next_cursor } = cutPage(found, limit, placeOf)
    const dead_letters = items.map(toDeadLetter)
    return { schema: 'knowtation.boundary_dead_letter_list/v0', vault_id, dead_letters, next_cursor }
  },
})

function placeOf({ created_at, dead_letter_id }: DeadLetterRow) {
  return { at: created_at, id: dead_letter_id }
}

function toDeadLetter(row: DeadLetterRow): z.infer<typeof DeadLetter> {
  const { dead_letter_id, run_id, attempt, reason, created_at, replayed_at } = row
  return { dead_letter_id, run_id, attempt, reason, created_at, replayed_at }
}
