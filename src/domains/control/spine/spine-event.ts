import { traceIdOf } from '../../../operations/call.ts'
import type { Surface } from '../../../operations/define-operation.ts'
import type { Caller } from '../../../platform/identity/caller.ts'
import { OWNER_ID } from '../../../platform/identity/owner-account.ts'
import type { JsonObject } from '../connectors/connector.ts'
import type { SpineObject } from './spine.ts'

/** A call as far as its event tells of it. */
export interface TracedCall {
  readonly caller: Caller
  readonly vault_id: string
  readonly surface: Surface
  readonly now: Date
  readonly request_id: string
}

/** How a call ended, and about what it was. */
export interface SpineEnd {
  readonly event: string
  readonly operation: string
  readonly object: SpineObject
  /** Whether the connection was named by its own id or only by its connector. */
  readonly selector: 'connection_id' | 'connector_id' | undefined
  readonly error: { readonly code: string; readonly http_status: number } | undefined
  readonly data: JsonObject
}

/** The event as it is kept and shown. */
export function spineEvent(event_id: string, call: TracedCall, end: SpineEnd): JsonObject {
  const { request_id, now } = call
  const actor = actorOf(call.caller)
  const status = end.error ? 'failed' : 'succeeded'
  const id = end.object.id ?? null
  return {
    object: 'owner_event',
    event_id,
    occurred_at: now.toISOString(),
    event_type: end.event,
    actor_type: actor.kind,
    actor_id: actor.client_id ?? actor.subject_id,
    client_id: actor.client_id,
    subject_type: 'subject',
    subject_id: actor.subject_id,
    object_type: end.object.type,
    object_id: id,
    status,
    request_id,
    trace_id: traceIdOf(request_id),
    scenario_id: null,
    data: {
      ...end.data,
      actor_kind: actor.kind,
      auth_token_kind: actor.token_kind,
      client_id: actor.client_id,
      client_name: actor.client_name,
      connection_id: end.object.connection_id ?? null,
      connector_key: end.object.connector_key ?? null,
      operation: end.operation,
      outcome: status,
      target_resource: id === null ? end.object.type : `${end.object.type}/${id}`,
      ...(end.selector && { selector: end.selector }),
      ...(end.error && { error: { ...end.error } }),
    },
  }
}

type Actors = { readonly kind: string } & Pick<Caller, 'id' | 'agent' | 'client'>

interface Actor {
  kind: 'owner_agent' | 'owner' | 'client'
  token_kind: string
  client_id: string | null
  client_name: string | null
  subject_id: string
}

/** Who a call was made by: the owner, an agent of theirs, or a program with a credential that is none of the owner's. */
export function actorOf({ kind, id, agent, client }: Actors): Actor {
  if (kind === 'owner_agent') {
    const { client_id = id, client_name = null } = agent ?? {}
    return { kind, token_kind: 'owner', client_id, client_name, subject_id: OWNER_ID }
  }
  if (kind === 'owner_session' || kind === 'local')
    return { kind: 'owner', token_kind: kind, client_id: null, client_name: client, subject_id: OWNER_ID }
  // Programs carry the hub token: what is tried with it is not the owner's doing.
  const token_kind = kind === 'hub' ? kind : 'client'
  return { kind: 'client', token_kind, client_id: id, client_name: client, subject_id: id }
}
