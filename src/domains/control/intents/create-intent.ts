import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { OwnerRefusal } from '../../../operations/owner-contract.ts'
import type { Reader } from '../../../platform/storage/database.ts'
import { byIdErrors } from '../connections/connection-errors.ts'
import { requireConnection } from '../connections/connection-store.ts'
import { findConnector } from '../connectors/connector-registry.ts'
import { firstStepOf } from '../connectors/setup-plan.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { intentErrors } from './intent-errors.ts'
import { CollectionScope, ConnectorId, DisplayName, IntentShape } from './intent-schemas.ts'
import { countIntents, findIntent, type IntentRow, insertIntent } from './intent-store.ts'
import { isOurs, showIntent } from './show-intent.ts'

/** The owner may take a day; an enrolment code, which others could read over a shoulder, lives shorter. */
const INTENT_TTL_SECONDS = 86_400
const ENROLLMENT_TTL_SECONDS = 15 * 60
/** So many that wait for the owner, and so many that never can become a connection: neither take the others' room. */
const KEPT_LIMIT = 200

/** Only an active connection of the same connector may be given other credentials. */
async function requireRenewable(db: Reader, connection_id: string, connector_id: string): Promise<void> {
  const found = await requireConnection(db, connection_id)
  if (found.connector_id !== connector_id || found.status !== 'active')
    throw new OwnerRefusal('connector_instance_not_found')
}

/** The wish for a connection. It makes none: the next step is the owner's. */
export const ownerConnectionIntentCreate = defineOwnerOperation({
  name: 'owner_connection_intent_create',
  summary: 'Begin a connection: answers the step that the owner has to take next.',
  effect: 'create',
  authority: ownerSurface(),
  rest: 'POST /v1/owner/connections/intents',
  cli: 'owner intent create <connector_id>',
  errors: { ...intentErrors.pick('too_many_intents'), ...byIdErrors },
  spine: {
    event: 'owner_agent.connection.initiate',
    operation: 'initiate_connection',
    // The name of a connector that this hub does not have is whatever somebody typed: no word for a record.
    object: ({ connector_id }, shown) => ({
      type: 'connection_intent',
      id: shown?.intent_id,
      ...(shown && isOurs(shown) && { connector_key: connector_id }),
    }),
    data: (_input, { next_step, connector_modality }) => ({
      next_step_kind: next_step.kind,
      connector_modality,
    }),
  },
  input: z.strictObject({
    connector_id: ConnectorId,
    display_name: DisplayName.optional().describe('What the connection will be called'),
    connection_id: z
      .string()
      .regex(/^conn_[0-9a-f]{1,64}$/)
      .optional()
      .describe('The connection that gets new credentials, where none is to be made'),
    collection_scope: CollectionScope.optional().describe('Which part of the source is meant'),
  }),
  output: IntentShape,
  present: async () => (await import('./present-intents.ts')).presentIntent,
  made: ({ intent_id }) => ({ kind: 'connection_intent', id: intent_id }),
  async handle({ input, caller, db, hub, now, refuse }) {
    const { connector_id, display_name = null, collection_scope, connection_id = null } = input
    if (connection_id !== null) await requireRenewable(db, connection_id, connector_id)
    const connector = await findConnector(hub, connector_id)
    const next_step_kind = connector ? firstStepOf(connector.manifest, hub.env) : 'unsupported'
    const state = next_step_kind === 'unsupported' ? 'unsupported' : 'open'
    if ((await countIntents(db, state, now)) >= KEPT_LIMIT) return refuse('too_many_intents')
    const isLocal = next_step_kind === 'enroll_local_collector'
    const ttl_seconds = isLocal ? ENROLLMENT_TTL_SECONDS : INTENT_TTL_SECONDS
    const code = isLocal ? `lde_${hub.system.random(16)}` : undefined
    const intent_id = `cint_${hub.system.random(8)}`
    await insertIntent(db, {
      intent_id,
      connector_id,
      display_name,
      state,
      step: next_step_kind,
      created_at: now.toISOString(),
      created_by: `${caller.kind}:${caller.id}`,
      expires_at: new Date(now.getTime() + ttl_seconds * 1_000).toISOString(),
      scope_json: collection_scope === undefined ? null : JSON.stringify(collection_scope),
      connection_id,
      code,
    })
    return showIntent(hub, db, (await findIntent(db, intent_id)) as IntentRow, now, code)
  },
})
