import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { type Reader, sql } from '../../../platform/storage/database.ts'

const DAY_MS = 86_400_000
const DAYS_MAX = 90
const DAYS_USUAL = 30
/** No count looks at more of the newest entries. */
const SCAN_LIMIT = 100_000

// The index by time gives the newest ones in their order, so no more than the limit is ever touched.
const count = sql<{ day: string; entries: number }>(
  `SELECT day, CAST(COUNT(*) AS INTEGER) AS entries FROM (
     SELECT substr(created_at, 1, 10) AS day FROM ledger_entries WHERE vault_id = ? AND created_at >= ?
     ORDER BY created_at DESC, id DESC LIMIT ?) AS newest
   GROUP BY day ORDER BY day`,
)

export const LedgerGrowthOutput = z.strictObject({
  schema: z.literal('knowtation.ledger_growth/v0'),
  vault_id: z.string(),
  days: z.array(z.strictObject({ day: z.string(), entries: z.int() })).describe('Oldest first, UTC'),
  entries: z.int().describe('In all these days'),
  complete: z.boolean().describe(`Whether all were counted, and not just the newest ${SCAN_LIMIT}`),
})

export const ledgerGrowth = defineOperation({
  name: 'ledger_growth',
  summary: 'Count the entries that came to the ledger on each of the last days.',
  effect: 'read',
  authority: vaultMember('read'),
  whileLocked: true,
  rest: 'GET /api/v1/ledger/growth',
  cli: 'ledger growth',
  errors: {},
  input: z.strictObject({
    days: z
      .int()
      .min(1)
      .max(DAYS_MAX)
      .optional()
      .describe(`How many days back, today included; ${DAYS_USUAL} when left out`),
  }),
  output: LedgerGrowthOutput,
  present: async () => (await import('./present-ledger.ts')).presentGrowth,
  async handle({ input: { days = DAYS_USUAL }, vault_id, db, hub, now }) {
    const names = Array.from({ length: days }, (_, back) => dayOf(now.getTime() - (days - 1 - back) * DAY_MS))
    const counted = await hub.longLooks.run(() => countDays(db, vault_id, names[0] as string))
    const entries = [...counted.values()].reduce((sum, one) => sum + one, 0)
    return {
      schema: 'knowtation.ledger_growth/v0' as const,
      vault_id,
      days: names.map((day) => ({ day, entries: counted.get(day) ?? 0 })),
      entries,
      complete: entries < SCAN_LIMIT,
    }
  },
})

async function countDays(db: Reader, vault_id: string, since: string): Promise<Map<string, number>> {
  const rows = await db.all(count, vault_id, since, SCAN_LIMIT)
  return new Map(rows.map(({ day, entries }) => [day, entries]))
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
