import { z } from 'zod'
import { Refusal } from '../../../operations/errors.ts'
import { policyChangeShape } from '../../../operations/policy/change-policy.ts'
import { definePolicyChange } from '../../../operations/policy/define-policy-change.ts'
import { placeOf } from '../../../platform/policy-edits/notice-edits.ts'
import { findRevision, textOfRevision } from '../../../platform/policy-edits/revision-store.ts'
import { isSealFault } from '../../../platform/secrets/sealed-secrets.ts'
import { policyErrors } from './policy-errors.ts'

const ChangeOutput = z.strictObject({ object: z.literal('policy_change'), ...policyChangeShape })

export const policyRevert = definePolicyChange({
  name: 'owner_policy_revert',
  summary: 'Put back what the policy of the vault said before; also where it is damaged now.',
  opens: true,
  rest: 'POST /v1/owner/policy/revert',
  cli: 'policy revert <revision>',
  fields: {
    revision: z
      .string()
      .regex(/^([0-9a-f]{12}|[1-9]\d{0,8})$/, 'a revision or a number of the history')
      .describe('Which, by its number or its revision in the history'),
  },
  errors: policyErrors.pick('unknown_policy_revision', 'policy_revision_unreadable'),
  output: ChangeOutput,
  present: async () => (await import('./present-policy.ts')).presentChange,
  async find({ input, hub, db, vault_id, refuse }) {
    const found = await findRevision(db, placeOf(hub), vault_id, input.revision)
    try {
      return (found && textOfRevision(hub, found)) ?? refuse('unknown_policy_revision')
    } catch (error) {
      throw isSealFault(error) ? new Refusal('policy_revision_unreadable') : error
    }
  },
  rewrite: (_, _context, text) => text,
  answer: (change) => ({ object: 'policy_change' as const, ...change }),
})

export const policyEdit = definePolicyChange({
  name: 'owner_policy_edit',
  summary: 'Replace the whole text of the policy of the vault.',
  opens: true,
  rest: 'PUT /v1/owner/policy',
  cli: 'policy edit',
  fields: {
    text: z.string().max(1_048_576).optional().describe('The new text, as it is to stand in the file'),
  },
  errors: {},
  output: ChangeOutput,
  rewrite: (_, { input, refuse }) => input.text ?? refuse('BAD_REQUEST', 'The text is missing.'),
  present: async () => (await import('./present-policy.ts')).presentChange,
  answer: (change) => ({ object: 'policy_change' as const, ...change }),
})
