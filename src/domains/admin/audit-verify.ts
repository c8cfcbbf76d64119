import { z } from 'zod'
import { hubOwner } from '../../operations/authority.ts'
import { defineOperation } from '../../operations/define-operation.ts'
import { verifyChain } from '../../platform/audit/verify-chain.ts'

export const auditVerify = defineOperation({
  name: 'audit_verify',
  summary: 'Check that no record of the audit log was changed, removed, moved or cut off.',
  effect: 'read',
  authority: hubOwner(),
  whileLocked: true,
  whileDamaged: true,
  rest: 'GET /api/v1/audit/verify',
  cli: 'audit verify',
  errors: {},
  input: z.strictObject({}),
  output: z.strictObject({
    schema: z.literal('knowtation.audit_verify/v0'),
    intact: z.boolean(),
    records: z.int(),
    first_seq: z.int(),
    last_seq: z.int(),
    checkpoints: z.int(),
    fault: z.string().nullable(),
  }),
  async handle({ hub }) {
    return { schema: 'knowtation.audit_verify/v0', ...(await verifyChain(hub.db, hub.audit.key)) }
  },
})
