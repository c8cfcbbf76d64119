import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { boundaryErrors } from '../boundary-errors.ts'
import { LedgerId } from '../plain-id.ts'
import { LedgerEntry, ledgerTarget, toLedgerEntry } from './ledger-record.ts'
import { findEntry } from './ledger-store.ts'

export const LedgerShowOutput = z.strictObject({
  schema: z.literal('knowtation.ledger_show/v0'),
  vault_id: z.string(),
  entry: LedgerEntry,
})

export const ledgerShow = defineOperation({
  name: 'ledger_show',
  summary: 'Show one entry of the ledger.',
  effect: 'read',
  authority: vaultMember('read'),
  rest: 'GET /api/v1/ledger/entries/{ledger_id}',
  mcp: true,
  cli: 'ledger show <ledger_id>',
  errors: boundaryErrors.pick('unknown_ledger_entry'),
  target: ({ ledger_id }) => ledgerTarget(ledger_id),
  input: z.strictObject({ ledger_id: LedgerId }),
  output: LedgerShowOutput,
  present: async () => (await import('./present-ledger.ts')).presentLedgerEntry,
  async handle({ input, vault_id, db, refuse }) {
    const row = (await findEntry(db, vault_id, input.ledger_id)) ?? refuse('unknown_ledger_entry')
    return { schema: 'knowtation.ledger_show/v0', vault_id, entry: toLedgerEntry(row) }
  },
})
