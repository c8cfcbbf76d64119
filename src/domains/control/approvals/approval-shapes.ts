import { z } from 'zod'
import { errorTable } from '../../../operations/errors.ts'
import { APPROVAL_STATES, argumentsOf, type CallApproval } from '../../../platform/approvals/approval.ts'
import { openSecret } from '../../../platform/secrets/sealed-secrets.ts'
import type { SecretsPlace } from '../../../platform/secrets/secrets-key.ts'

export const approvalErrors = errorTable({
  unknown_approval: {
    status: 404,
    message: 'There is no such request for approval in this vault.',
    hint: '`knowtation approval list` shows them.',
  },
  approval_unreadable: {
    status: 409,
    message: 'What the call would send cannot be opened: it was changed, or its key is not there.',
    hint: 'Deny it, and have the call made again; `knowtation doctor` tells whether the secrets key is there.',
  },
  approval_decided: {
    status: 409,
    message: 'It was decided before, or its time is over.',
    hint: '`knowtation approval show ID` tells how it ended.',
  },
  approval_changed: {
    status: 409,
    message:
      'What would be carried out is not what was shown: the digest is another, or the policy has changed since.',
    hint: 'Look at it again with `knowtation approval show ID`. The agent is asked to call anew.',
  },
})

export const ApprovalId = z
  .string()
  .regex(/^appr_[0-9a-f]{16}$/)
  .describe('The id of the request, as the list shows it')
export const ApprovalState = z.enum(APPROVAL_STATES)

const shape = {
  object: z.literal('call_approval'),
  approval_id: ApprovalId,
  state: ApprovalState,
  vault_id: z.string(),
  tool_id: z.string(),
  mode: z.enum(['each_call', 'first_call']),
  grant_id: z.string(),
  flow_id: z.string(),
  flow_version: z.string(),
  caller_kind: z.string(),
  caller_id: z.string(),
  client: z.string(),
  policy_revision: z.string(),
  digest: z.string(),
  arguments_bytes: z.int(),
  created_at: z.string(),
  expires_at: z.string(),
  decided_at: z.string().nullable(),
  decided_by: z.string().nullable(),
  decided_for: z.enum(['call', 'grant']).nullable(),
  reason: z.string().nullable(),
  ended_at: z.string().nullable(),
}

/** A request as a list shows it: without the arguments. */
export const ApprovalShape = z.strictObject(shape).meta({ id: 'CallApproval' })

/** All of it. The arguments are there while it waits, for the owner alone. */
export const ApprovalInFull = z
  .strictObject({ ...shape, arguments: z.record(z.string(), z.unknown()).nullable() })
  .meta({ id: 'CallApprovalInFull' })

export function showApproval(approval: CallApproval): z.output<typeof ApprovalShape> {
  const {
    arguments_sealed: _a,
    result_sealed: _r,
    result_code: _c,
    fence: _f,
    lease_until: _l,
    ...shown
  } = approval
  const { shape: _s, grant_ends_at: _g, ...rest } = shown
  return { object: 'call_approval', ...rest }
}

/** The request with what the tool would be given. */
export function showInFull(hub: SecretsPlace, approval: CallApproval): z.output<typeof ApprovalInFull> {
  const { arguments_sealed: sealed, approval_id } = approval
  const opened = sealed === null ? null : openSecret(hub, argumentsOf(approval_id), sealed)
  const read = opened === null ? null : (JSON.parse(opened) as Record<string, unknown>)
  return { ...showApproval(approval), arguments: read }
}
