import { z } from 'zod'
import { hubOwner } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { findNameableVault, removeLabel } from '../../../platform/labels/label-store.ts'
import { Label, labelErrors, SubjectId, subjectOf } from './label-schemas.ts'

export const labelRemove = defineOperation({
  name: 'label_remove',
  summary: 'Take the name of a grant, token, seat, owner agent or consent away again.',
  effect: 'delete',
  authority: hubOwner(),
  rest: 'DELETE /api/v1/labels/{id}',
  cli: 'label remove <id>',
  errors: labelErrors.pick('unknown_label'),
  target: subjectOf,
  input: z.strictObject({ id: SubjectId }),
  output: Label,
  async handle({ input: { id }, caller, vault_id, db, now, refuse }) {
    const isHere = (await findNameableVault(db, vault_id, id)) !== undefined
    if (!isHere || !(await removeLabel(db, id))) return refuse('unknown_label')
    const named_by = `${caller.kind}:${caller.id}`
    return {
      schema: 'knowtation.label/v0' as const,
      id,
      label: null,
      named_at: now.toISOString(),
      named_by,
    }
  },
})
