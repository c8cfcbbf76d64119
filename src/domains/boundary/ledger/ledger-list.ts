import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { type Context, defineOperation } from '../../../operations/define-operation.ts'
import { cutPage, findPlace, pageInputs } from '../../../operations/page-cursor.ts'
import { TenantId } from '../plain-id.ts'
import { LedgerEntry, type LedgerRow, toLedgerEntry } from './ledger-record.ts'
import { findEntry, listEntries, listTenantEntries } from './ledger-store.ts'

const LIST_LIMIT = 200
const LIST_DEFAULT = 50

const input = z.strictObject({
  tenant_id: TenantId.optional().describe('Only entries of this tenant'),
  ...pageInputs(LIST_LIMIT, LIST_DEFAULT),
})

export const LedgerListOutput = z.strictObject({
  schema: z.literal('knowtation.ledger_list/v0'),
  vault_id: z.string(),
  entries: z.array(LedgerEntry),
  next_cursor: z.string().nullable(),
})

export const ledgerList = defineOperation({
  name: 'ledger_list',
  summary: 'List the entries of the ledger, newest first.',
  effect: 'read',
  authority: vaultMember('read'),
  rest: 'GET /api/v1/ledger/entries',
  mcp: true,
  cli: 'ledger list',
  errors: {},
  input,
  output: LedgerListOutput,
  present: async () => (await import('./present-ledger.ts')).presentLedgerList,
  async handle(context) {
    const { vault_id } = context
    const { limit = LIST_DEFAULT } = context.input
    const { items, next_cursor } = cutPage(await readPage(context, limit + 1), limit, placeOf)
    return {
      schema: 'knowtation.ledger_list/v0',
      vault_id,
      entries: items.map(toLedgerEntry),
      next_cursor,
    }
  },
})

function placeOf(row: LedgerRow) {
  return { at: row.created_at, id: row.id }
}

async function readPage(
  { input: wanted, vault_id, db, refuse }: Context<z.output<typeof input>, never, 'read'>,
  limit: number,
): Promise<LedgerRow[]> {
  const { tenant_id, cursor } = wanted
  const after = findPlace(cursor) ?? refuse('BAD_REQUEST', 'cursor does not have the required form.')
  if (tenant_id === undefined) return listEntries(db, { vault_id, after, limit })
  const last = cursor === undefined ? undefined : await findEntry(db, vault_id, after.id)
  if (cursor !== undefined && last?.tenant_id !== tenant_id) return []
  const before_seq = last?.seq ?? Number.MAX_SAFE_INTEGER
  return listTenantEntries(db, { vault_id, tenant_id, before_seq, limit })
}
