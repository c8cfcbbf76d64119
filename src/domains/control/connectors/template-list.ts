import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import type { Hub } from '../../../operations/hub.ts'
import { type Reader, sql } from '../../../platform/storage/database.ts'
import { ActionShape, ConnectionSummaryShape } from '../connections/connection-shapes.ts'
import { listConnections } from '../connections/connection-store.ts'
import { nameConnection } from '../connections/show-connection.ts'
import { type CatalogAction, listActions } from '../control-catalog.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { type ConnectorFault, listConnectors } from './connector-registry.ts'
import { CONNECTOR_MODALITIES, type ConnectorManifest } from './manifest-schema.ts'
import { SetupPlanShape, setupPlanOf } from './setup-plan.ts'

/** So many of a connector's connections are named in its template; the list of connections has all. */
const SUMMARY_LIMIT = 50

const countAll = sql<{ connector_id: string; connections: number }>(
  'SELECT connector_id, COUNT(*) AS connections FROM connections GROUP BY connector_id',
)

const TemplateShape = z.strictObject({
  object: z.literal('owner_connector_template'),
  connector_id: z.string(),
  connector_key: z.string(),
  display_name: z.string(),
  version: z.string(),
  icon: z.string().nullable(),
  connector_modality: z.enum(CONNECTOR_MODALITIES),
  registration_status: z.literal('registered'),
  stream_count: z.int(),
  public_listing: z.boolean(),
  setup_plan: SetupPlanShape,
  connection_count: z.int(),
  connections: z.array(ConnectionSummaryShape),
  supported_actions: z.array(ActionShape),
})

export const OwnerConnectorTemplateListOutput = z.strictObject({
  object: z.literal('list'),
  data: z.array(TemplateShape),
  faults: z
    .array(z.strictObject({ connector: z.string(), message: z.string() }))
    .describe('Connectors that are there but cannot be used, and why'),
})

/** The kinds of connection there can be. */
export const ownerConnectorTemplateList = defineOwnerOperation({
  name: 'owner_connector_template_list',
  summary: 'List the connectors: the kinds of connection there can be, and how one comes to be.',
  effect: 'read',
  authority: ownerSurface(),
  whileLocked: true,
  rest: 'GET /v1/owner/connector-templates',
  cli: 'owner connector list',
  errors: {},
  input: z.strictObject({}),
  output: OwnerConnectorTemplateListOutput,
  present: async () => (await import('./present-templates.ts')).presentConnectors,
  async handle({ db, hub, origin }) {
    const { connectors, faults } = await listConnectors(hub)
    const actions = await listActions(origin, hub)
    const initiate = actions.filter(({ family }) => family === 'initiate_connection')
    const counts = new Map((await db.all(countAll)).map((row) => [row.connector_id, Number(row.connections)]))
    const data = []
    for (const { manifest } of connectors)
      data.push(await showTemplate(db, hub, manifest, counts.get(manifest.connector_id) ?? 0, initiate))
    return { object: 'list' as const, data, faults: faults.map(showFault) }
  },
})

async function showTemplate(
  db: Reader,
  hub: Hub,
  manifest: ConnectorManifest,
  connection_count: number,
  initiate: readonly CatalogAction[],
) {
  const { connector_id, display_name, version, icon = null, connector_modality, streams } = manifest
  const names = new Map([[connector_id, display_name]])
  const rows = connection_count === 0 ? [] : await listConnections(db, { connector_id }, SUMMARY_LIMIT)
  return {
    object: 'owner_connector_template' as const,
    connector_id,
    connector_key: connector_id,
    display_name,
    version,
    icon,
    connector_modality,
    registration_status: 'registered' as const,
    stream_count: streams.length,
    public_listing: manifest.support_state !== 'unsupported',
    setup_plan: setupPlanOf(manifest, hub.env),
    connection_count,
    connections: rows.map((row) => ({
      object: 'owner_connection_summary' as const,
      ...nameConnection(row, names),
    })),
    supported_actions: initiate.map((action) => initiateOf(action, manifest)),
  }
}

/** A connector that cannot be connected says so, whatever the surface offers. */
function initiateOf(action: CatalogAction, { support_state, reason }: ConnectorManifest): CatalogAction {
  if (support_state !== 'unsupported') return action
  return { ...action, status: 'unsupported', method: null, url: null, reason }
}

/** Agents are told which connector is broken; where it lies on the machine is in the log. */
function showFault({ file, message }: ConnectorFault) {
  return { connector: file.split('/').at(-2) ?? '', message: message.slice(0, 500) }
}
