import type { JsonObject } from '../connectors/connector.ts'

/** What a call of the owner's surface is about, as its event tells it. */
export interface SpineObject {
  readonly type: string
  readonly id: string | null | undefined
  readonly connection_id?: string | null | undefined
  readonly connector_key?: string | null | undefined
}

/**
 * What an operation leaves in the owner's own record of events. Both functions name ids, counts and codes
 * alone: no display name, no credential and nothing that was collected belongs there.
 */
export interface Spine<Input, Output> {
  readonly event: `owner_agent.${string}`
  readonly operation: string
  /** Called with the answer when the call succeeded, and else with what is sound of the ids in the input. */
  object(input: Partial<Input>, output?: Output): SpineObject
  /** What more there is to tell of a success. */
  data?(input: Input, output: Output): JsonObject
}
