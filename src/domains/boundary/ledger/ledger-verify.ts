import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import type { Hub } from '../../../operations/hub.ts'
import { boundaryErrors } from '../boundary-errors.ts'
import { TenantId } from '../plain-id.ts'
import { hasLedger, hasStrayLink, type LedgerReport, listTenants, verifyLedger } from './verify-ledger.ts'

/** A vault with more tenants is verified one tenant at a time. */
const TENANT_LIMIT = 10_000

export const ledgerVerify = defineOperation({
  name: 'ledger_verify',
  summary: 'Check that no ledger entry of this vault was changed, removed, moved, added or linked anew.',
  effect: 'read',
  authority: vaultMember('admin'),
  rest: 'GET /api/v1/ledger/verify',
  cli: 'ledger verify',
  errors: boundaryErrors.pick('unknown_tenant'),
  input: z.strictObject({ tenant_id: TenantId.optional().describe('Only the chain of this tenant') }),
  output: z.strictObject({
    schema: z.literal('knowtation.ledger_verify/v0'),
    vault_id: z.string(),
    intact: z.boolean(),
    fault: z.string().nullable(),
    tenants: z.array(
      z.strictObject({
        tenant_id: z.string(),
        intact: z.boolean(),
        entries: z.int(),
        fault: z.string().nullable(),
      }),
    ),
  }),
  async handle({ input, hub, vault_id, refuse }) {
    const { tenant_id } = input
    if (tenant_id !== undefined && !(await hasLedger(hub.db, { vault_id, tenant_id })))
      refuse('unknown_tenant')
    const tenants =
      tenant_id === undefined ? await verifyAll(hub, vault_id) : [await verifyOne(hub, vault_id, tenant_id)]
    const stray = (await hasStrayLink(hub.db, vault_id)) ? 'A link belongs to no entry.' : null
    const fault = tenants.find((report) => report.fault !== null)?.fault ?? stray
    return { schema: 'knowtation.ledger_verify/v0', vault_id, intact: fault === null, fault, tenants }
  },
})

function verifyOne(hub: Hub, vault_id: string, tenant_id: string): Promise<LedgerReport> {
  return verifyLedger(hub, { vault_id, tenant_id })
}

async function verifyAll(hub: Hub, vault_id: string): Promise<LedgerReport[]> {
  const reports: LedgerReport[] = []
  let after = ''
  while (reports.length < TENANT_LIMIT) {
    const page = await listTenants(hub.db, vault_id, after)
    for (const tenant_id of page) reports.push(await verifyOne(hub, vault_id, tenant_id))
    const last = page.at(-1)
    if (last === undefined) break
    after = last
  }
  return reports
}
