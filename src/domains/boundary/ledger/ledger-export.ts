import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { boundaryErrors } from '../boundary-errors.ts'
import { TenantId } from '../plain-id.ts'
import { EXPORT_PAGE_LIMIT, renderLedgerExport } from './render-ledger-export.ts'
import { hasLedger } from './verify-ledger.ts'

export const LedgerExportOutput = z.strictObject({
  schema: z.literal('knowtation.ledger_export/v0'),
  lines: z.array(z.string()),
  next_after_seq: z.int().nullable(),
})

export const ledgerExport = defineOperation({
  name: 'ledger_export',
  summary: "Export a stretch of a tenant's ledger as signed lines that can be verified elsewhere.",
  effect: 'read',
  authority: vaultMember('admin'),
  rest: 'GET /api/v1/ledger/export',
  cli: 'ledger export',
  errors: boundaryErrors.pick('unknown_tenant'),
  input: z.strictObject({
    tenant_id: TenantId,
    after_seq: z.int().nonnegative().optional().describe('Begin after this entry'),
    limit: z.int().min(1).max(EXPORT_PAGE_LIMIT).optional().describe('At most so many entries'),
  }),
  output: LedgerExportOutput,
  async handle({ input, hub, vault_id, now, refuse }) {
    const { tenant_id, after_seq = 0, limit = EXPORT_PAGE_LIMIT } = input
    if (!(await hasLedger(hub.db, { vault_id, tenant_id }))) refuse('unknown_tenant')
    const wanted = { vault_id, tenant_id, after_seq, limit, exported_at: now.toISOString() }
    return { schema: 'knowtation.ledger_export/v0', ...(await renderLedgerExport(hub, wanted)) }
  },
})
