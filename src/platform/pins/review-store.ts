import type { System } from '../basics/system.ts'
import { type Reader, sql, type Transaction } from '../storage/database.ts'
import { closesTool, type PinReview, type ReviewFinding, type ReviewState } from './pin-review.ts'
import type { Pinned, ToolDefinition } from './tool-definition.ts'

/** What was decided can be looked up so long. */
const KEPT_MS = 90 * 86_400_000
/** A policy lists fewer tools, and few of them change their pin while a review is open. */
const MAX_OPEN = 10_000

const COLUMNS = `review_id, vault_id, tool_id, pin, finding, found_pin, found_json, state, opened_at, closed_at, decided_by, reason`

const open = sql(
  `INSERT INTO pin_reviews (review_id, live_key, vault_id, tool_id, pin, finding, found_pin, found_json, state, opened_at, told)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'open', ?, 0)
   ON CONFLICT DO NOTHING`,
)
// What was found before stays found: that a changed tool is missing now makes it no better.
const findMore = sql(
  `UPDATE pin_reviews SET finding = ?, found_pin = ?, found_json = ?
   WHERE live_key = ? AND (finding <> ? OR found_pin IS NULL OR found_pin <> ?) AND (finding = 'missing' OR ? <> 'missing')`,
)
const close = sql(
  `UPDATE pin_reviews SET state = ?, live_key = NULL, closed_at = ?, decided_by = ?, reason = ?
   WHERE review_id = ? AND state = 'open' AND finding = ? AND COALESCE(found_pin, '') = ?`,
)
const comeBack = sql(
  `UPDATE pin_reviews SET state = 'returned', live_key = NULL, closed_at = ?
   WHERE live_key = ? AND state = 'open' AND finding = 'missing'`,
)
const byId = sql<PinReview>(`SELECT ${COLUMNS} FROM pin_reviews WHERE review_id = ?`)
const byKey = sql<PinReview>(`SELECT ${COLUMNS} FROM pin_reviews WHERE live_key = ?`)
const newest = sql<PinReview>(
  `SELECT ${COLUMNS} FROM pin_reviews WHERE vault_id = ? AND (state = ? OR ? = '')
   ORDER BY opened_at DESC, review_id DESC LIMIT ?`,
)
const openOf = sql<PinReview>(
  `SELECT ${COLUMNS} FROM pin_reviews WHERE vault_id = ? AND state = 'open' ORDER BY opened_at DESC LIMIT ?`,
)
const untold = sql<PinReview & { told: number }>(
  `SELECT ${COLUMNS}, told FROM pin_reviews
   WHERE told = 0 OR (told = 1 AND state <> 'open') ORDER BY opened_at, review_id LIMIT ?`,
)
const tell = sql('UPDATE pin_reviews SET told = ? WHERE review_id = ? AND told = ?')
const purge = sql('DELETE FROM pin_reviews WHERE live_key IS NULL AND told = 2 AND closed_at < ?')
const keep = sql(
  `INSERT INTO tool_definitions (pin, definition_json, kept_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
)
const definitionByPin = sql<{ definition_json: string }>(
  'SELECT definition_json FROM tool_definitions WHERE pin = ?',
)

/** A tool of a vault with the pin that its policy has. */
export interface PinnedTool {
  readonly vault_id: string
  readonly tool_id: string
  readonly pin: string
}

/** Changing the pin by hand is a review, too: what is open belongs to one pin. */
const keyOf = ({ vault_id, tool_id, pin }: PinnedTool) => `${vault_id} ${pin} ${tool_id}`

interface Found {
  readonly finding: ReviewFinding
  readonly found: Pinned | undefined
}

/** Closes the tool until the owner has looked. Answers whether that is new; what is open already shows the latest finding. */
export async function openReview(
  tx: Transaction,
  system: Pick<System, 'random' | 'now'>,
  tool: PinnedTool,
  { finding, found }: Found,
): Promise<string | undefined> {
  const review_id = `pinr_${system.random(8)}`
  const { vault_id, tool_id, pin } = tool
  const shown = [found?.pin ?? null, found ? JSON.stringify(found.definition) : null] as const
  const at = system.now().toISOString()
  if ((await tx.run(open, review_id, keyOf(tool), vault_id, tool_id, pin, finding, ...shown, at)) === 1)
    return review_id
  await tx.run(findMore, finding, ...shown, keyOf(tool), finding, shown[0] ?? '', finding)
  return undefined
}

/** What was missing is there again, as it was reviewed. */
export async function endMissing(tx: Transaction, tool: PinnedTool, now: Date): Promise<void> {
  await tx.run(comeBack, now.toISOString(), keyOf(tool))
}

interface Decision {
  readonly state: Exclude<ReviewState, 'open' | 'returned'>
  readonly decided_by: string
  readonly reason: string | null
}

/** The owner's word on just what was shown. Of two that are said one counts. */
export async function closeReview(
  tx: Transaction,
  { review_id, finding, found_pin }: PinReview,
  { state, decided_by, reason }: Decision,
  now: Date,
): Promise<boolean> {
  const said = [state, now.toISOString(), decided_by, reason]
  return (await tx.run(close, ...said, review_id, finding, found_pin ?? '')) === 1
}

export function findReview(db: Reader, review_id: string): Promise<PinReview | undefined> {
  return db.get(byId, review_id)
}

/** What is open about a tool with the pin that it has now. */
export function findOpenReview(db: Reader, tool: PinnedTool): Promise<PinReview | undefined> {
  return db.get(byKey, keyOf(tool))
}

/** The tools of a vault that are closed now, each by its id and pin. */
export async function findClosedTools(db: Reader, vault_id: string): Promise<(tool: PinnedTool) => boolean> {
  const reviews = await db.all(openOf, vault_id, MAX_OPEN)
  const closed = new Set(reviews.filter(closesTool).map(keyOf))
  return (tool) => closed.has(keyOf(tool))
}

/** The newest reviews of a vault, in one state or in any. */
export function listReviews(
  db: Reader,
  vault_id: string,
  state: ReviewState | undefined,
  limit: number,
): Promise<PinReview[]> {
  return db.all(newest, vault_id, state ?? '', state ?? '', limit)
}

/** Reviews with something that nobody was told of yet: that they opened (0), or how they ended (1). */
export function listUntoldReviews(db: Reader, limit: number): Promise<(PinReview & { told: number })[]> {
  return db.all(untold, limit)
}

/** Keeps that the next thing about a review was told; answers false where another hub did so. */
export async function markReviewTold(tx: Transaction, one: { review_id: string; told: number }) {
  return (await tx.run(tell, one.told + 1, one.review_id, one.told)) === 1
}

/** Forgets what was decided long ago. */
export async function purgeReviews(tx: Transaction, now: Date): Promise<void> {
  await tx.run(purge, new Date(now.getTime() - KEPT_MS).toISOString())
}

/** Keeps a definition that was reviewed, so that a later change can be shown beside it. */
export async function keepDefinition(tx: Transaction, { pin, definition }: Pinned, now: Date): Promise<void> {
  await tx.run(keep, pin, JSON.stringify(definition), now.toISOString())
}

/** The definition behind a pin, where it was kept. */
export async function findDefinition(db: Reader, pin: string): Promise<ToolDefinition | undefined> {
  const row = await db.get(definitionByPin, pin)
  return row && (JSON.parse(row.definition_json) as ToolDefinition)
}
