import { OwnerRefusal } from '../../../operations/owner-contract.ts'
import type { Reader, Transaction } from '../../../platform/storage/database.ts'
import {
  type ConnectionRow,
  type ConnectionStatus,
  holdConnection,
  listConnections,
  requireConnection,
} from './connection-store.ts'

/** How a call says which connection it means: by its id, or by the connector that has only this one. */
export type TargetInput = { readonly connection_id: string } | { readonly connector_id: string }

/** So many are named in a refusal that asks for one of them. */
const NAMED_LIMIT = 100

/**
 * The one connection that a call means, before anything is changed. By connector only those in `status`
 * count; where there are several, none is chosen: the refusal names them, and how to ask again.
 */
export async function resolveTarget(
  db: Reader,
  input: TargetInput,
  status: ConnectionStatus = 'active',
): Promise<ConnectionRow> {
  if ('connection_id' in input) return requireConnection(db, input.connection_id)
  const { connector_id } = input
  const found = await listConnections(db, { connector_id, status }, NAMED_LIMIT)
  const [only] = found
  if (!only) throw new OwnerRefusal('connection_not_found')
  if (found.length > 1) throw ambiguous(found)
  return requireConnection(db, only.connection_id)
}

/** The same, for a call that changes it: nobody else can change the connection until the transaction ends. */
export async function holdTarget(
  tx: Transaction,
  input: TargetInput,
  status: ConnectionStatus = 'active',
): Promise<ConnectionRow> {
  const { connection_id } = await resolveTarget(tx, input, status)
  await holdConnection(tx, connection_id)
  const held = await requireConnection(tx, connection_id)
  if ('connector_id' in input && held.status !== status) throw new OwnerRefusal('connection_not_found')
  return held
}

function ambiguous(found: readonly ConnectionRow[]): OwnerRefusal {
  const available_connections = found.map(({ connection_id, display_name }) =>
    display_name === null ? { connection_id } : { connection_id, display_name },
  )
  return new OwnerRefusal('ambiguous_connection', undefined, {
    available_connections,
    retry_with: 'connection_id',
  })
}
