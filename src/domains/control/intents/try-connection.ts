import type { Context, Effect } from '../../../operations/define-operation.ts'
import type { Hub } from '../../../operations/hub.ts'
import { OwnerRefusal } from '../../../operations/owner-contract.ts'
import { newConnectionId } from '../connections/connection-store.ts'
import { type DraftConnection, openDraftSource } from '../connections/open-source.ts'
import { type Collector, type Connector, SourceFault } from '../connectors/connector.ts'
import { findConnector } from '../connectors/connector-registry.ts'
import { firstStepOf, readinessOf } from '../connectors/setup-plan.ts'
import { asIntentRefusal } from './intent-errors.ts'
import { findIntent, type IntentRow, noteFault } from './intent-store.ts'
import { shownState } from './show-intent.ts'

/** A source has this long to answer the one question that is asked before a connection becomes active. */
const PROBE_LIMIT_MS = 45_000

/** Steps that no form and no provider completes. */
const CLOSED_STEPS = ['unsupported', 'manual_runbook', 'needs_deployment_config']

/** What a step knows of the call that takes it. */
export type StepContext = Pick<Context<never, never, Effect>, 'hub' | 'signal' | 'now'>

/** An intent that the owner may take on now, and its connector. */
export interface OpenIntent {
  readonly intent: IntentRow
  readonly connector: Connector
}

/** The open intent of an id, with its connector; refuses one that is over, unknown or not to be completed. */
export async function requireOpenIntent(hub: Hub, intent_id: string, now: Date): Promise<OpenIntent> {
  const intent = await findIntent(hub.db, intent_id)
  if (!intent) throw new OwnerRefusal('intent_not_found')
  return openIntent(hub, intent, now)
}

/** The same for an intent that has been found by other means. */
export async function openIntent(hub: Hub, intent: IntentRow, now: Date): Promise<OpenIntent> {
  const state = shownState(intent, now)
  if (state === 'expired') throw new OwnerRefusal('intent_expired')
  if (state !== 'open') throw new OwnerRefusal('intent_ended')
  const connector = await findConnector(hub, intent.connector_id)
  if (!connector) throw new OwnerRefusal('connector_not_found')
  const { manifest } = connector
  if (CLOSED_STEPS.includes(firstStepOf(manifest, hub.env))) {
    const { guidance } = readinessOf(manifest, hub.env)
    throw new OwnerRefusal('intent_needs_other_step', guidance ?? manifest.reason)
  }
  return { intent, connector }
}

/** The id that a connection will have: a new one, or that of the connection which gets another authorisation. */
export function draftId({ system }: Hub, { connection_id }: IntentRow): string {
  return connection_id ?? newConnectionId(system)
}

/** Asks the source once with what was given. Whatever is wrong is noted at the intent, and nothing is made. */
export async function tryConnection(
  context: StepContext,
  { intent, connector }: OpenIntent,
  draft: DraftConnection,
): Promise<void> {
  const { hub, signal } = context
  await noting(hub, intent, async () => {
    const collector = await loadCollector(hub, connector)
    const limit = AbortSignal.timeout(PROBE_LIMIT_MS)
    const source = openDraftSource(hub, draft, AbortSignal.any([signal, limit]))
    try {
      await collector.probe(source)
    } catch (error) {
      if (limit.aborted) throw new SourceFault('unreachable', 'The source did not answer in time.')
      throw error
    }
  })
}

async function loadCollector(hub: Hub, connector: Connector): Promise<Collector> {
  try {
    return await connector.load()
  } catch (error) {
    if (error instanceof SourceFault) throw error
    const { connector_id } = connector.manifest
    hub.log.error({ connector_id, fault: (error as Error).name }, 'a connector cannot be loaded')
    throw new OwnerRefusal('connector_unusable')
  }
}

/** Does a part of a step; its failure is kept at the intent, beside the refusal that tells of it. */
export async function noting<Result>(
  hub: Hub,
  { intent_id }: IntentRow,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    const meant = asIntentRefusal(error)
    const words =
      meant instanceof OwnerRefusal ? (meant.reason ?? 'The connector cannot be used.') : undefined
    if (words !== undefined) await hub.db.transaction((tx) => noteFault(tx, intent_id, words))
    throw meant
  }
}
