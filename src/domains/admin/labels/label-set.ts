import { z } from 'zod'
import { hubOwner } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { spellHidden } from '../../../platform/basics/hidden-signs.ts'
import { findNameableVault, setLabel } from '../../../platform/labels/label-store.ts'
import { Label, labelErrors, SubjectId, subjectOf } from './label-schemas.ts'

/** One line that shows all it says, and nothing that would open something: labels are shown everywhere. */
const LabelText = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .refine((label) => !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(label), 'must be one line')
  .refine((label) => spellHidden(label) === label, 'must have no sign that shows nothing')
  .refine((label) => !/\b(?:fgrnt_bearer|ktok|ktool|kown|kmcp)_/i.test(label), 'must hold no bearer')
  .describe('What you call it')

export const labelSet = defineOperation({
  name: 'label_set',
  summary: 'Give a grant, token, seat, owner agent or consent a name, which is shown wherever its id is.',
  effect: 'update',
  idempotent: true,
  authority: hubOwner(),
  rest: 'PUT /api/v1/labels/{id}',
  cli: 'label set <id> <label>',
  errors: labelErrors.pick('unknown_subject'),
  target: subjectOf,
  input: z.strictObject({ id: SubjectId, label: LabelText }),
  output: Label,
  async handle({ input, caller, vault_id, db, now, refuse }) {
    const place = await findNameableVault(db, vault_id, input.id)
    if (place === undefined) return refuse('unknown_subject')
    const named_by = `${caller.kind}:${caller.id}`
    const record = { label: input.label, named_at: now.toISOString(), named_by }
    await setLabel(db, { subject_id: input.id, vault_id: place, ...record })
    return { schema: 'knowtation.label/v0' as const, id: input.id, ...record }
  },
})
