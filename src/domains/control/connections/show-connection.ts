import type { Hub } from '../../../operations/hub.ts'
import { listConnectors } from '../connectors/connector-registry.ts'
import { actionsOf, type CatalogAction, listActions } from '../control-catalog.ts'
import type { ConnectionRow, ListedConnection } from './connection-store.ts'

/** What the rows of one answer have in common: the connectors' names and the catalog. */
export interface Showing {
  readonly names: ReadonlyMap<string, string>
  readonly actions: readonly CatalogAction[]
}

/** Gathers what every row of an answer is shown with. */
export async function prepareShowing(hub: Hub, origin: string): Promise<Showing> {
  const { connectors } = await listConnectors(hub)
  const names = new Map(connectors.map(({ manifest }) => [manifest.connector_id, manifest.display_name]))
  return { names, actions: await listActions(origin, hub) }
}

/** What a connection is called: by its owner, or else by its connector. */
export function nameConnection(
  { connection_id, connector_id, display_name, status }: ConnectionRow,
  names: ReadonlyMap<string, string>,
) {
  return {
    connection_id,
    connector_id,
    connector_key: connector_id,
    display_name: display_name ?? names.get(connector_id) ?? connector_id,
    label_status: display_name === null ? ('fallback' as const) : ('owner_set' as const),
    status,
  }
}

/** A connection as it is shown: what it is bound to by kind alone, for settings may hold secret addresses. */
export function showConnection(row: ListedConnection, { names, actions }: Showing) {
  return {
    object: 'owner_connection' as const,
    ...nameConnection(row, names),
    connector_instance_id: row.connection_id,
    source_kind: row.source_kind,
    source_binding: { kind: row.source_kind, device_id: row.device_id },
    schedule: scheduleOf(row),
    created_at: row.created_at,
    updated_at: row.updated_at,
    revoked_at: row.revoked_at,
    supported_actions: actionsOf(actions, row),
  }
}

/** When a connection collects by itself, where it does. */
export function scheduleOf({
  schedule_enabled,
  interval_seconds,
  cron,
  timezone,
  next_run_at,
}: ListedConnection) {
  if (schedule_enabled === null || timezone === null) return null
  return { enabled: schedule_enabled !== 0, interval_seconds, cron, timezone, next_run_at }
}
