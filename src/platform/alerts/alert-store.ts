import { type Reader, sql, type Transaction } from '../storage/database.ts'
import { TOLERATED_VIOLATIONS } from './security-event.ts'

/** An agent that went against the rules too often and waits for a person to look at it. */
export interface Alert {
  vault_id: string
  agent_id: string
  raised_at: string
  last_violation_at: string
  /** Those that raised it and all since, until it is acknowledged. */
  violations: number
  acknowledged_at: string | null
  acknowledged_by: string | null
}

const COLUMNS =
  'vault_id, agent_id, raised_at, last_violation_at, violations, acknowledged_at, acknowledged_by'
const countOn = sql(
  `UPDATE toolbox_alerts SET violations = violations + 1, last_violation_at = ?
   WHERE vault_id = ? AND agent_id = ? AND acknowledged_at IS NULL`,
)
const raise = sql(
  `INSERT INTO toolbox_alerts (${COLUMNS}) VALUES (?, ?, ?, ?, ?, NULL, NULL)
   ON CONFLICT (vault_id, agent_id) DO UPDATE SET raised_at = excluded.raised_at,
     last_violation_at = excluded.last_violation_at, violations = excluded.violations,
     acknowledged_at = NULL, acknowledged_by = NULL`,
)
const acknowledge = sql(
  `UPDATE toolbox_alerts SET acknowledged_at = ?, acknowledged_by = ?
   WHERE vault_id = ? AND agent_id = ? AND acknowledged_at IS NULL`,
)
const byAgent = sql<Alert>(`SELECT ${COLUMNS} FROM toolbox_alerts WHERE vault_id = ? AND agent_id = ?`)
const IS_OPEN = 'CASE WHEN acknowledged_at IS NULL THEN 1 ELSE 0 END'
const ofVault = sql<Alert>(
  `SELECT ${COLUMNS} FROM toolbox_alerts WHERE vault_id = ? AND (${IS_OPEN}, raised_at, agent_id) < (?, ?, ?)
   ORDER BY ${IS_OPEN} DESC, raised_at DESC, agent_id DESC LIMIT ?`,
)
const open = sql<Alert>(
  `SELECT ${COLUMNS} FROM toolbox_alerts WHERE acknowledged_at IS NULL ORDER BY raised_at DESC, agent_id LIMIT ?`,
)
const countOpen = sql<{ count: number }>(
  'SELECT COUNT(*) AS count FROM toolbox_alerts WHERE acknowledged_at IS NULL',
)

/** Whether a violation raised an alert, added to an open one, or is no reason for one. */
export type AlertState = 'raised' | 'open' | 'none'

/** Notes a violation, given how many the agent has had in the window with it. */
export async function noteViolation(
  tx: Transaction,
  { vault_id, agent_id, timestamp }: { vault_id: string; agent_id: string; timestamp: string },
  violations: number,
): Promise<AlertState> {
  if ((await tx.run(countOn, timestamp, vault_id, agent_id)) > 0) return 'open'
  if (violations <= TOLERATED_VIOLATIONS) return 'none'
  await tx.run(raise, vault_id, agent_id, timestamp, timestamp, violations)
  return 'raised'
}

/** Marks an alert as looked at; a second time changes nothing. Undefined for an agent without one. */
export async function acknowledgeAlert(
  tx: Transaction,
  { vault_id, agent_id, by, now }: { vault_id: string; agent_id: string; by: string; now: Date },
): Promise<Alert | undefined> {
  await tx.run(acknowledge, now.toISOString(), by, vault_id, agent_id)
  return tx.get(byAgent, vault_id, agent_id)
}

/** Where in the list of a vault's alerts a page begins: after this one. */
export interface AlertPlace {
  readonly is_open: boolean
  readonly raised_at: string
  readonly agent_id: string
}

/** Before the newest open alert: sorts after every moment. */
const BEFORE_NEWEST: AlertPlace = { is_open: true, raised_at: '~', agent_id: '~' }

/** The alerts of a vault, open ones first, from a place on. */
export function listAlerts(
  db: Reader,
  { vault_id, limit }: { vault_id: string; limit: number },
  after = BEFORE_NEWEST,
): Promise<Alert[]> {
  return db.all(ofVault, vault_id, after.is_open ? 1 : 0, after.raised_at, after.agent_id, limit)
}

/** The newest open alerts of all vaults, for whoever runs the hub. */
export function listOpenAlerts(db: Reader, limit: number): Promise<Alert[]> {
  return db.all(open, limit)
}

/** How many alerts wait for a person, in all vaults. */
export async function countOpenAlerts(db: Reader): Promise<number> {
  return (await db.get(countOpen))?.count ?? 0
}
