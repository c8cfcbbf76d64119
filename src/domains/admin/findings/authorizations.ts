import type { Hub } from '../../../operations/hub.ts'
import { sql } from '../../../platform/storage/database.ts'
import type { Finding } from './doctor-finding.ts'

/** So many are named. */
const NAMED_LIMIT = 5

const over = sql<{ connection_id: string; connector_id: string; fault: string }>(
  `SELECT a.connection_id, c.connector_id, a.fault FROM connection_authorizations a
   JOIN connections c ON c.connection_id = a.connection_id
   WHERE a.needs_owner_since IS NOT NULL AND c.status = 'active' ORDER BY a.needs_owner_since LIMIT ?`,
)

/** Connections whose provider wants the owner again. */
export async function authorizationFindings({ db }: Hub): Promise<Finding[]> {
  const found = await db.all(over, NAMED_LIMIT)
  const [first] = found
  const subject = 'authorisations of connections'
  if (!first) return [{ subject, state: 'ok', detail: 'none is over', fix: null }]
  const named = found.map(({ connection_id }) => connection_id).join(', ')
  const begin = `knowtation owner intent create ${first.connector_id} --connection-id ${first.connection_id}`
  const fix = `Give access anew: \`${begin}\`, then go on as it says.`
  return [{ subject, state: 'wrong', detail: `${named}: ${first.fault}`, fix }]
}
