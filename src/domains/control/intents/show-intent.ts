import type { Hub } from '../../../operations/hub.ts'
import type { Reader } from '../../../platform/storage/database.ts'
import { findConnector } from '../connectors/connector-registry.ts'
import type { ConnectorManifest, SettingField } from '../connectors/manifest-schema.ts'
import { setupPlanOf } from '../connectors/setup-plan.ts'
import { hubAddress } from '../owner/hub-address.ts'
import { CollectionScope, type NextStep, type ShownIntent } from './intent-schemas.ts'
import type { IntentRow } from './intent-store.ts'

/** Where the owner connects something, in the console. */
export const CONNECT_PATH = '/console/data/connect'

/** What there is to say of a connector that the hub does not have, or has no more. */
const UNKNOWN: ConnectorManifest = {
  connector_id: 'unknown',
  display_name: 'A connector that this hub does not have',
  version: '0.0.0',
  connector_modality: 'unknown',
  setup_modality: 'unsupported',
  support_state: 'unsupported',
  reason: 'This hub has no connector of that name; the templates name those that it has.',
  runbook_path: 'docs/connectors.md',
  streams: [],
  settings: [],
}

/** Whether an intent is for a connector that the hub has. */
export function isOurs({ connector_name }: Pick<ShownIntent, 'connector_name'>): boolean {
  return connector_name !== UNKNOWN.display_name
}

/** Shows an intent. The code of an enrolment is known only when it is made, so it is shown then and never again. */
export async function showIntent(
  hub: Hub,
  db: Reader,
  row: IntentRow,
  now: Date,
  code?: string,
): Promise<ShownIntent> {
  const manifest = (await findConnector(hub, row.connector_id))?.manifest ?? UNKNOWN
  const plan = setupPlanOf(manifest, hub.env)
  const state = shownState(row, now)
  const address = await hubAddress(db)
  return {
    object: 'owner_connection_intent',
    intent_id: row.intent_id,
    connector_id: row.connector_id,
    connector_key: row.connector_id,
    connector_name: manifest.display_name,
    display_name: row.display_name,
    state,
    connection_active: state === 'completed',
    connection_id: row.connection_id,
    created_at: row.created_at,
    created_by: row.created_by,
    expires_at: row.expires_at,
    ended_at: row.ended_at,
    fault: row.fault,
    connector_modality: manifest.connector_modality,
    setup_modality: plan.setup_modality,
    support_state: plan.support_state,
    proof_gate: plan.proof_gate,
    deployment_readiness: plan.deployment_readiness,
    runbook_path: plan.runbook_path,
    validation: plan.validation,
    settings: manifest.settings.map(showSetting),
    next_step: isWaiting(state) ? nextStep(row, manifest, plan, address, code) : OVER[state],
  }
}

/** An intent whose time is over is over, whatever the store still says. */
export function shownState({ state, expires_at }: IntentRow, now: Date): ShownIntent['state'] {
  return state === 'open' && expires_at <= now.toISOString() ? 'expired' : state
}

function isWaiting(state: ShownIntent['state']): state is 'open' | 'unsupported' {
  return state === 'open' || state === 'unsupported'
}

const OVER: Readonly<Record<'completed' | 'cancelled' | 'expired', NextStep>> = {
  completed: { kind: 'none', reason: 'The connection is active.' },
  cancelled: { kind: 'none', reason: 'The intent was cancelled. Nothing was connected.' },
  expired: { kind: 'none', reason: 'The time for this intent is over. Nothing was connected. Begin again.' },
}

function showSetting({ name, label, kind, required, hint, default: given }: SettingField) {
  return { name, label, kind, required, hint: hint ?? null, default: given ?? null }
}

function nextStep(
  row: IntentRow,
  manifest: ConnectorManifest,
  plan: ReturnType<typeof setupPlanOf>,
  address: string,
  code: string | undefined,
): NextStep {
  const { next_step_kind: kind, runbook_path } = plan
  const page = `${address}${CONNECT_PATH}/${row.intent_id}`
  const runbook = runbook_path === null ? {} : { runbook_path }
  switch (kind) {
    case 'unsupported':
    case 'manual_runbook':
      return { kind, reason: manifest.reason, dashboard_url: `${address}${CONNECT_PATH}`, ...runbook }
    case 'needs_deployment_config':
      return { kind, reason: plan.deployment_readiness.guidance ?? manifest.reason, ...runbook }
    case 'complete_browser_assistance':
      return { kind, reason: ownersHands(manifest.reason), dashboard_url: page, ...runbook }
    case 'enroll_local_collector':
      return { kind, reason: ENROLL, ...enrollment(row, address, code), dashboard_url: page, ...runbook }
    case 'open_url':
      return { kind, reason: openReason(manifest), url: page }
    default:
      return { kind, reason: `${manifest.reason} The owner fills the page in, while signed in.`, url: page }
  }
}

const ENROLL =
  'The owner runs `knowtation collector enroll --code CODE --folder FOLDER` on the machine of the hub, or chooses the folder on the page. No bearer can do it.'

function ownersHands(reason: string): string {
  return `${reason} The owner must do this in person: no bearer can sign in or pass a second factor.`
}

function openReason({ oauth, display_name, reason }: ConnectorManifest): string {
  if (!oauth) return `${reason} The owner fills the page in, while signed in.`
  return `The owner opens the page, signed in, and goes on to the provider of ${display_name} to give access there.`
}

function enrollment(row: IntentRow, address: string, code: string | undefined) {
  return {
    ...(code !== undefined && { enrollment_code: code }),
    enroll_endpoint: `${address}/_ref/collectors/enroll`,
    expires_at: row.expires_at,
    local_binding_name: `${row.connector_id}-${row.intent_id.slice(-8)}`,
    collection_scope: row.scope_json === null ? null : CollectionScope.parse(JSON.parse(row.scope_json)),
  }
}
