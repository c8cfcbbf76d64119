import { OwnerRefusal } from '../../../operations/owner-contract.ts'
import { BEFORE_OLDEST, type Place } from '../../../operations/page-cursor.ts'
import type { System } from '../../../platform/basics/system.ts'
import { type Reader, type Statement, sql, type Transaction } from '../../../platform/storage/database.ts'

export const CONNECTION_STATUSES = ['active', 'revoked'] as const
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number]

/** A connection as it is stored. Its credentials lie elsewhere, sealed. */
export interface ConnectionRow {
  connection_id: string
  connector_id: string
  /** As the owner set it; nothing stands for the connector's own name. */
  display_name: string | null
  status: ConnectionStatus
  /** What kind of source it is bound to: the connector's modality when it was set up. */
  source_kind: string
  /** The settings that are no secrets, by name. */
  settings_json: string
  created_at: string
  updated_at: string
  revoked_at: string | null
  /** The last number given to a record of it. */
  last_seq: number
}

const COLUMNS = `connection_id, connector_id, display_name, status, source_kind, settings_json, created_at,
  updated_at, revoked_at, last_seq`
const byId = sql<ConnectionRow>(`SELECT ${COLUMNS} FROM connections WHERE connection_id = ?`)
// Touching the row makes whoever else would change the connection wait, on both databases.
const hold = sql('UPDATE connections SET updated_at = updated_at WHERE connection_id = ?')
const insert = sql(`INSERT INTO connections (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
const rename = sql('UPDATE connections SET display_name = ?, updated_at = ? WHERE connection_id = ?')
const setSettings = sql('UPDATE connections SET settings_json = ?, updated_at = ? WHERE connection_id = ?')
const setStatus = sql(
  'UPDATE connections SET status = ?, revoked_at = ?, updated_at = ? WHERE connection_id = ?',
)
const remove = sql('DELETE FROM connections WHERE connection_id = ?')

/** A new id of a connection. */
export function newConnectionId(system: System): string {
  return `conn_${system.random(12)}`
}

/** The connection of an id, whatever its status. */
export function findConnection(db: Reader, connection_id: string): Promise<ConnectionRow | undefined> {
  return db.get(byId, connection_id)
}

/** The connection of an id; one that is not there and one of somebody else's are refused alike. */
export async function requireConnection(db: Reader, connection_id: string): Promise<ConnectionRow> {
  const found = await findConnection(db, connection_id)
  if (!found) throw new OwnerRefusal('connector_instance_not_found')
  return found
}

/** Keeps others from changing the connection until the transaction ends. */
export async function holdConnection(tx: Transaction, connection_id: string): Promise<void> {
  await tx.run(hold, connection_id)
}

/** Puts a connection in. Its credentials and schedule are the caller's to add, in the same transaction. */
export async function insertConnection(tx: Transaction, row: ConnectionRow): Promise<void> {
  await tx.run(
    insert,
    row.connection_id,
    row.connector_id,
    row.display_name,
    row.status,
    row.source_kind,
    row.settings_json,
    row.created_at,
    row.updated_at,
    row.revoked_at,
    row.last_seq,
  )
}

/** Gives a connection the owner's name for it. */
export async function renameConnection(tx: Transaction, id: string, name: string, now: Date): Promise<void> {
  await tx.run(rename, name, now.toISOString(), id)
}

/** Gives a connection other settings. */
export async function changeSettings(tx: Transaction, id: string, json: string, now: Date): Promise<void> {
  await tx.run(setSettings, json, now.toISOString(), id)
}

/** Makes a connection active or revoked. */
export async function setConnectionStatus(
  tx: Transaction,
  connection_id: string,
  status: ConnectionStatus,
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  await tx.run(setStatus, status, status === 'revoked' ? at : null, at, connection_id)
}

/** Takes the row itself away; all that hangs on it goes before. */
export async function removeConnection(tx: Transaction, connection_id: string): Promise<void> {
  await tx.run(remove, connection_id)
}

/** A connection with what a list shows beside it. */
export interface ListedConnection extends ConnectionRow {
  device_id: string | null
  schedule_enabled: number | null
  cron: string | null
  interval_seconds: number | null
  timezone: string | null
  next_run_at: string | null
}

/** Which connections are asked for, and after which one of them. */
export interface ConnectionFilter {
  connector_id?: string | undefined
  status?: ConnectionStatus | undefined
  after?: Place
}

const LISTED = `SELECT c.connection_id, c.connector_id, c.display_name, c.status, c.source_kind, c.settings_json,
  c.created_at, c.updated_at, c.revoked_at, c.last_seq,
  (SELECT MIN(d.device_id) FROM owner_devices d WHERE d.connection_id = c.connection_id) AS device_id,
  s.enabled AS schedule_enabled, s.cron, s.interval_seconds, s.timezone, s.next_run_at
  FROM connections c LEFT JOIN connection_schedules s ON s.connection_id = c.connection_id`

/** One statement for each set of filters, so that each is answered from its own index. */
const pageStatements = new Map<string, Statement<ListedConnection>>(
  [[], ['connector_id'], ['status'], ['connector_id', 'status']].map((filters) => {
    const tests = filters.map((column) => `c.${column} = ? AND `).join('')
    const rest = '(c.created_at, c.connection_id) > (?, ?) ORDER BY c.created_at, c.connection_id LIMIT ?'
    return [filters.join(), sql<ListedConnection>(`${LISTED} WHERE ${tests}${rest}`)]
  }),
)
const listedById = sql<ListedConnection>(`${LISTED} WHERE c.connection_id = ?`)

/** Connections in the order in which they were made. A page costs the same wherever it lies. */
export function listConnections(
  db: Reader,
  { connector_id, status, after = BEFORE_OLDEST }: ConnectionFilter,
  limit: number,
): Promise<ListedConnection[]> {
  const filters = Object.entries({ connector_id, status }).filter(([, value]) => value !== undefined)
  const statement = pageStatements.get(filters.map(([name]) => name).join()) as Statement<ListedConnection>
  const values = filters.map(([, value]) => value as string)
  return db.all(statement, ...values, after.at, after.id, limit)
}

/** One connection as a list shows it. */
export async function requireListed(db: Reader, connection_id: string): Promise<ListedConnection> {
  const found = await db.get(listedById, connection_id)
  if (!found) throw new OwnerRefusal('connector_instance_not_found')
  return found
}
