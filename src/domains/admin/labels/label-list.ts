import { z } from 'zod'
import { hubOwner } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { limitInput } from '../../../operations/page-cursor.ts'
import { listLabels } from '../../../platform/labels/label-store.ts'

const LIST_LIMIT = 1_000

export const LabelListOutput = z.strictObject({
  schema: z.literal('knowtation.label_list/v0'),
  vault_id: z.string(),
  labels: z.array(
    z.strictObject({ id: z.string(), label: z.string(), named_at: z.string(), named_by: z.string() }),
  ),
  truncated: z.boolean(),
})

export const labelList = defineOperation({
  name: 'label_list',
  summary: 'List the names that the owner has given in this vault, the newest first.',
  effect: 'read',
  authority: hubOwner(),
  whileLocked: true,
  rest: 'GET /api/v1/labels',
  cli: 'label list',
  errors: {},
  input: z.strictObject({ limit: limitInput(LIST_LIMIT, LIST_LIMIT) }),
  output: LabelListOutput,
  present: async () => (await import('./present-labels.ts')).presentLabels,
  async handle({ input: { limit = LIST_LIMIT }, vault_id, db }) {
    const found = await listLabels(db, vault_id, limit + 1)
    return {
      schema: 'knowtation.label_list/v0' as const,
      vault_id,
      labels: found
        .slice(0, limit)
        .map(({ subject_id, label, named_at, named_by }) => ({ id: subject_id, label, named_at, named_by })),
      truncated: found.length > limit,
    }
  },
})
