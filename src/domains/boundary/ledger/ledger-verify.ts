import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { verifyJournal } from '../../../platform/audit/verify-journal.ts'
import type { Reader } from '../../../platform/storage/database.ts'
import { boundaryErrors } from '../boundary-errors.ts'
import { TenantId } from '../plain-id.ts'
import { describeUnnamed, nameLost } from './journal-view.ts'
import { hasLedger, hasStrayLink, type LedgerReport, listTenants, verifyLedger } from './verify-ledger.ts'

/** A vault with more tenants is verified one tenant at a time. */
const TENANT_LIMIT = 10_000
const MORE_TENANTS = 'There may be more tenants than were verified: verify the others one by one.'

export const LedgerVerifyOutput = z.strictObject({
  schema: z.literal('knowtation.ledger_verify/v0'),
  vault_id: z.string(),
  intact: z.boolean(),
  /** Since when a journal, and with it the audit log, tells which tenants there are and how far they reach. */
  sealed_since: z.string().nullable(),
  fault: z.string().nullable(),
  tenants: z.array(
    z.strictObject({
      tenant_id: z.string(),
      intact: z.boolean(),
      entries: z.int(),
      fault: z.string().nullable(),
    }),
  ),
})

export const ledgerVerify = defineOperation({
  name: 'ledger_verify',
  summary:
    'Check that no ledger entry and no tenant of this vault was changed, removed, moved, added or linked anew.',
  effect: 'read',
  authority: vaultMember('admin'),
  rest: 'GET /api/v1/ledger/verify',
  cli: 'ledger verify',
  errors: boundaryErrors.pick('unknown_tenant'),
  input: z.strictObject({ tenant_id: TenantId.optional().describe('Only the chain of this tenant') }),
  output: LedgerVerifyOutput,
  present: async () => (await import('./present-ledger.ts')).presentLedgerVerification,
  async handle({ input, hub, vault_id, refuse }) {
    const { tenant_id } = input
    const journal = await verifyJournal(hub.db, hub.audit.key)
    const wanted = tenant_id === undefined ? await listAll(hub.db, vault_id) : [tenant_id]
    const { named, unnamed } = await nameLost(hub.db, vault_id, journal.lost, wanted)
    const isKnown = tenant_id === undefined || named.includes(tenant_id)
    if (!isKnown && !(await hasLedger(hub.db, { vault_id, tenant_id }))) refuse('unknown_tenant')
    const all = tenant_id === undefined ? [...new Set([...wanted, ...named])] : wanted
    const tenants: LedgerReport[] = []
    for (const name of all) tenants.push(await verifyLedger(hub, { vault_id, tenant_id: name }, journal))
    const broken = tenants.find((report) => report.fault !== null)
    const more = all.length < TENANT_LIMIT ? null : MORE_TENANTS
    const stray = (await hasStrayLink(hub.db, vault_id)) ? 'A link belongs to no entry.' : null
    const fault = (broken && nameFault(broken)) ?? describeUnnamed(unnamed) ?? journal.fault ?? stray ?? more
    const sealed_since = journal.since
    return {
      schema: 'knowtation.ledger_verify/v0',
      vault_id,
      intact: fault === null,
      sealed_since,
      fault,
      tenants,
    }
  },
})

function nameFault({ tenant_id, fault }: LedgerReport): string {
  return `Tenant ${tenant_id}: ${fault}`
}

async function listAll(db: Reader, vault_id: string): Promise<string[]> {
  const found: string[] = []
  let after = ''
  while (found.length < TENANT_LIMIT) {
    const page = await listTenants(db, vault_id, after)
    found.push(...page)
    const last = page.at(-1)
    if (last === undefined) break
    after = last
  }
  return found
}
