import { z } from 'zod'
import { hubOwner } from '../../operations/authority.ts'
import { defineOperation } from '../../operations/define-operation.ts'
import { EXPORT_PAGE_LIMIT, exportAudit } from '../../platform/audit/read-audit.ts'
import { renderExport } from '../../platform/audit/render-export.ts'

export const AuditExportOutput = z.strictObject({
  schema: z.literal('knowtation.audit_export/v0'),
  lines: z.array(z.string()),
  next_after_seq: z.int().nullable(),
})

export const auditExport = defineOperation({
  name: 'audit_export',
  summary: 'Export a stretch of the audit log of all vaults as signed lines that can be verified elsewhere.',
  effect: 'read',
  authority: hubOwner(),
  whileLocked: true,
  rest: 'GET /api/v1/audit/export',
  cli: 'audit export',
  errors: {},
  input: z.strictObject({
    after_seq: z.int().nonnegative().optional().describe('Begin after this record'),
    limit: z.int().min(1).max(EXPORT_PAGE_LIMIT).optional().describe('At most so many records'),
  }),
  output: AuditExportOutput,
  async handle({ input, hub, now }) {
    const { after_seq = 0, limit = EXPORT_PAGE_LIMIT } = input
    const { next_after_seq } = await exportAudit(hub.db, { after_seq, limit })
    const signed = () =>
      renderExport(hub.db, hub.audit.key, { after_seq, limit, exported_at: now.toISOString() })
    const lines = await hub.longLooks.run(() => Array.fromAsync(signed()))
    return { schema: 'knowtation.audit_export/v0', lines, next_after_seq }
  },
})
