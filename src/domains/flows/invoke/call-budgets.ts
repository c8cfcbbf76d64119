import type { Context } from '../../../operations/define-operation.ts'
import { Refusal } from '../../../operations/errors.ts'
import type { ConsentBounds } from '../../../platform/identity/caller.ts'
import { type Reader, sql, type Transaction } from '../../../platform/storage/database.ts'
import type { AllowedTool } from '../allowlist.ts'
import type { Grant } from '../grants/grant-record.ts'

const WINDOW_MS = 60_000

// A window of a time to come is of a clock that was wrong, and begins anew. Calls that come at once are counted in
// another order than they came in: what is less than a window ahead is no wrong clock's.
const IS_OPEN = 'call_budgets.opened_at > ? AND call_budgets.opened_at <= ?'
// One statement decides and counts, so that no two hubs can both take the last call of a minute.
const count = sql(
  `INSERT INTO call_budgets (subject, opened_at, count) VALUES (?, ?, 1)
   ON CONFLICT (subject) DO UPDATE SET
     count = CASE WHEN ${IS_OPEN} THEN call_budgets.count + 1 ELSE 1 END,
     opened_at = CASE WHEN ${IS_OPEN} THEN call_budgets.opened_at ELSE excluded.opened_at END
   WHERE NOT (${IS_OPEN}) OR call_budgets.count < ?`,
)
const readBudget = sql<{ opened_at: string; count: number }>(
  'SELECT opened_at, count FROM call_budgets WHERE subject = ?',
)
const purge = sql('DELETE FROM call_budgets WHERE opened_at < ?')

type Counting = Pick<Context<unknown, never, 'update'>, 'db' | 'rules' | 'vault_id' | 'now' | 'caller'>

/** Counts a call against the minute of its grant, its consent and its tool, and refuses the one that is too many. */
export async function takeFromBudgets(context: Counting, grant: Grant, tool: AllowedTool): Promise<void> {
  const ofGrants = context.rules.policy.value.external_agent?.calls_per_minute
  await take(context, ofGrant(grant), ofGrants)
  const { id, consented } = context.caller
  await take(context, ofConsent(id), consented?.bounds?.calls_per_minute)
  await take(context, ofTool(context, tool), tool.calls_per_minute)
}

const ofGrant = ({ grant_id }: Grant) => `grant ${grant_id}`
const ofConsent = (consent_id: string) => `consent ${consent_id}`
const ofTool = ({ vault_id }: Pick<Counting, 'vault_id'>, { id }: AllowedTool) => `tool ${vault_id} ${id}`

/** How much is taken of a minute: by the grant, under its consent, and of these tools by all grants. */
export function readBudgets(
  { db, now, ...vault }: Pick<Counting, 'rules' | 'vault_id' | 'now'> & { db: Reader },
  grant: Grant,
  tools: readonly AllowedTool[],
  consent?: {
    readonly consent_id: string
    readonly terms: { readonly bounds?: ConsentBounds | undefined } | undefined
  },
): Promise<{ limit: number; taken: number }[]> {
  const ofGrants = vault.rules.policy.value.external_agent?.calls_per_minute
  const budgets = tools.map((tool) => [ofTool(vault, tool), tool.calls_per_minute] as const)
  const consented = [ofConsent(consent?.consent_id ?? ''), consent?.terms?.bounds?.calls_per_minute] as const
  const bounded = [[ofGrant(grant), ofGrants] as const, consented, ...budgets].flatMap(([subject, limit]) =>
    limit === undefined ? [] : [{ subject, limit }],
  )
  return Promise.all(
    bounded.map(async ({ subject, limit }) => {
      const { opened_at = '', count: taken = 0 } = (await db.get(readBudget, subject)) ?? {}
      const isOpen = Math.abs(now.getTime() - Date.parse(opened_at)) < WINDOW_MS
      return { limit, taken: isOpen ? taken : 0 }
    }),
  )
}

async function take({ db, now }: Counting, subject: string, limit: number | undefined): Promise<void> {
  if (limit === undefined) return
  const at = now.toISOString()
  const since = new Date(now.getTime() - WINDOW_MS).toISOString()
  const until = new Date(now.getTime() + WINDOW_MS).toISOString()
  if ((await db.run(count, subject, at, since, until, since, until, since, until, limit)) === 1) return
  const { opened_at = at } = (await db.get(readBudget, subject)) ?? {}
  const wait_ms = Date.parse(opened_at) + WINDOW_MS - now.getTime()
  throw new Refusal('RATE_LIMITED', undefined, Math.max(1, Math.ceil(wait_ms / 1_000)))
}

/** Forgets what was counted before the moment. */
export async function purgeCallBudgets(tx: Transaction, before: Date): Promise<void> {
  await tx.run(purge, before.toISOString())
}

type Limit = 'max_payload_bytes' | 'max_result_bytes'

/** Whether what is sent to a tool, or what it answers, is more than the tool, any call of a grant or of a consent may have. */
export function isOverBudget(
  value: unknown,
  limit: Limit,
  tool: AllowedTool,
  { rules, caller }: Pick<Counting, 'rules' | 'caller'>,
): boolean {
  const places = [tool, rules.policy.value.external_agent, caller.consented?.bounds]
  const limits = places.map((place) => place?.[limit]).filter((one) => one !== undefined)
  return limits.length > 0 && Buffer.byteLength(JSON.stringify(value)) > Math.min(...limits)
}
