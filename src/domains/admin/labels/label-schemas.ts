import { z } from 'zod'
import { errorTable } from '../../../operations/errors.ts'
import { findNameableKind } from '../../../platform/labels/label-store.ts'

export const labelErrors = errorTable({
  unknown_subject: {
    status: 404,
    message: 'There is no grant, token, seat, owner agent or consent with this id in this vault.',
    says: 'There is nothing with this id here that can have a name.',
    hint: 'Their lists show the ids: `knowtation flow grant list`, `token list`, `tool session list`, `owner agent list`, `consent list`.',
  },
  unknown_label: {
    status: 404,
    message: 'It has no name in this vault.',
    says: 'It has no name here.',
    hint: '`knowtation label list` shows all names.',
  },
})

export const SubjectId = z
  .string()
  .min(1)
  .max(64)
  .refine((id) => findNameableKind(id) !== undefined, 'must be the id of what can have a name')
  .describe('The id of a grant, token, seat, owner agent or consent')

export const Label = z.strictObject({
  schema: z.literal('knowtation.label/v0'),
  id: z.string(),
  label: z.string().nullable(),
  named_at: z.string(),
  named_by: z.string(),
})

/** What the audit log says that it is about: the thing, not its name. */
export function subjectOf({ id }: { id: string }) {
  return { kind: findNameableKind(id) as string, id }
}
