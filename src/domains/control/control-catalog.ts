import type { Operation } from '../../operations/define-operation.ts'
import type { Hub } from '../../operations/hub.ts'

/** One thing an owner agent can do, or cannot yet, as the catalog tells it. */
export interface CatalogAction {
  readonly family: string
  readonly status: 'supported' | 'owner_mediated' | 'unsupported'
  readonly method: string | null
  readonly url: string | null
  readonly reason: string
}

/** A family of actions. `instance`: it concerns one connection, and is told on each connection's row too. */
export interface Family {
  readonly family: string
  readonly scope: 'surface' | 'instance'
  /** The operation that carries it out. Where there is none, it is not supported. */
  readonly operation: string
  readonly reason: string
  /** Why only the owner in person can do it, where that is so. */
  readonly owner_mediated?: true
  /** The switch in the hub's configuration that takes it away. */
  readonly switch?: 'delete_connection'
  /** Whether a revoked connection still allows it. */
  readonly when_revoked?: false
}

/** Every family there is. What is supported follows from which operations there are, not from this table. */
export const FAMILIES: readonly Family[] = [
  {
    family: 'discover_control_capabilities',
    scope: 'surface',
    operation: 'owner_control',
    reason: 'Read what this surface offers.',
  },
  {
    family: 'list_connector_templates',
    scope: 'surface',
    operation: 'owner_connector_template_list',
    reason: 'List the kinds of connection there can be.',
  },
  {
    family: 'list_connections',
    scope: 'surface',
    operation: 'owner_connection_list',
    reason: 'List the configured connections.',
  },
  {
    family: 'initiate_connection',
    scope: 'surface',
    operation: 'owner_connection_intent_create',
    reason: 'Begin a connection; the owner takes the next step.',
  },
  {
    family: 'rename_connection',
    scope: 'instance',
    operation: 'owner_connection_rename',
    reason: 'Give a connection another display name.',
  },
  {
    family: 'run_connection',
    scope: 'instance',
    operation: 'owner_connection_run',
    reason: 'Collect now, outside the schedule.',
    when_revoked: false,
  },
  {
    family: 'cancel_run',
    scope: 'instance',
    operation: 'owner_run_cancel',
    owner_mediated: true,
    reason:
      'Non-destructive: stops one active run and keeps everything collected. Distinct from run_connection, revoke_connection and delete_connection. The owner does it while signed in.',
  },
  {
    family: 'manage_schedule',
    scope: 'instance',
    operation: 'owner_connection_schedule_pause',
    reason: 'Pause and resume the schedule of a connection.',
    when_revoked: false,
  },
  {
    family: 'inspect_diagnostics',
    scope: 'instance',
    operation: 'owner_connection_diagnostics',
    reason: 'See the health of a connection and its last run.',
  },
  {
    family: 'manage_event_subscriptions',
    scope: 'surface',
    operation: 'event_subscription_list',
    reason: 'Be told of changes by signed events.',
  },
  {
    family: 'delete_connection',
    scope: 'instance',
    operation: 'owner_connection_delete',
    reason: 'Erase one connection with all it collected, by the defined delete cascade contract.',
    switch: 'delete_connection',
  },
  {
    family: 'revoke_connection',
    scope: 'instance',
    operation: 'owner_connection_revoke',
    reason: 'Use the credentials of a connection no more; what was collected stays.',
    when_revoked: false,
  },
]

type Offer = Pick<Hub, 'findOperation' | 'config'>

/** The catalog at one origin: an action is supported when its operation is there, with its real method and path. */
export async function listActions(origin: string, hub: Offer): Promise<CatalogAction[]> {
  return Promise.all(
    FAMILIES.map(async (entry) =>
      describeAction(entry, origin, hub, await hub.findOperation(entry.operation)),
    ),
  )
}

function describeAction(
  entry: Family,
  origin: string,
  { config }: Offer,
  operation: Operation | undefined,
): CatalogAction {
  const { family, reason, owner_mediated } = entry
  if (owner_mediated) return closed(family, 'owner_mediated', reason)
  if (!operation?.rest) return closed(family, 'unsupported', `Not offered here. ${reason}`)
  if (entry.switch && !config.control[entry.switch])
    return closed(family, 'unsupported', `Switched off by the owner of this hub. ${reason}`)
  const [method = '', path = ''] = operation.rest.split(' ')
  return { family, status: 'supported', method, url: `${origin}${path}`, reason }
}

function closed(family: string, status: 'owner_mediated' | 'unsupported', reason: string): CatalogAction {
  return { family, status, method: null, url: null, reason }
}

/** What of the catalog concerns one connection, at that connection's own addresses. */
export function actionsOf(
  actions: readonly CatalogAction[],
  { connection_id, status }: { readonly connection_id: string; readonly status: string },
): CatalogAction[] {
  return FAMILIES.flatMap(({ family, scope, when_revoked }, at) => {
    const action = actions[at]
    if (scope !== 'instance' || !action) return []
    if (status === 'revoked' && when_revoked === false)
      return [closed(family, 'unsupported', 'The connection is revoked.')]
    const url = action.url?.replace('{connection_id}', encodeURIComponent(connection_id)) ?? null
    return [{ ...action, url }]
  })
}
