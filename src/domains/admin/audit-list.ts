import { z } from 'zod'
import { isOwner, vaultMember } from '../../operations/authority.ts'
import { defineOperation } from '../../operations/define-operation.ts'
import { limitInput } from '../../operations/page-cursor.ts'
import { listAudit } from '../../platform/audit/read-audit.ts'
import { withEventData } from '../../platform/audit/sealed-events.ts'
import { AuditRecordWire } from './audit-schemas.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 200

export const auditList = defineOperation({
  name: 'audit_list',
  summary: "Read this vault's audit log, newest first.",
  effect: 'read',
  authority: vaultMember('admin'),
  whileLocked: true,
  rest: 'GET /api/v1/audit',
  cli: 'audit list',
  errors: {},
  input: z.strictObject({
    operation: z.string().max(64).optional().describe('Only calls of this operation'),
    outcome: z.enum(['allowed', 'denied', 'failed']).optional().describe('Only calls that ended so'),
    before_seq: z.int().positive().optional().describe('Only records before this number'),
    limit: limitInput(MAX_LIMIT, DEFAULT_LIMIT),
  }),
  output: z.strictObject({
    schema: z.literal('knowtation.audit_list/v0'),
    vault_id: z.string(),
    records: z.array(AuditRecordWire),
    next_before_seq: z.int().nullable(),
  }),
  async handle({ input, vault_id, db, caller }) {
    const { limit = DEFAULT_LIMIT, ...filter } = input
    const { records, next_before_seq } = await listAudit(db, { ...filter, vault_id, limit })
    const shown = isOwner(caller) ? await withEventData(db, records) : records
    return { schema: 'knowtation.audit_list/v0', vault_id, records: shown, next_before_seq }
  },
})
