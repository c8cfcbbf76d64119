import { z } from 'zod'
import { PIN } from '../../../platform/pins/tool-definition.ts'
import { FlowId, ScopeName } from '../flow-schemas.ts'

export const GRANT_SCHEMA = 'knowtation.flow_external_grant/v0'

/** A server-issued id. Beside it a lower-case bearer would fit the loose form, so its prefix is kept out. */
export const GRANT_ID = /^fgrnt_(?!bearer_)[a-z0-9_]{8,48}$/
export const BEARER_PREFIX = 'fgrnt_bearer_'
/** Names under which callers put a bearer outside its header, where it is nothing: not read, and no mistake either. */
export const MISPLACED_BEARER = [
  'bearer',
  'external_bearer',
  'X-Flow-External-Bearer',
  'x-flow-external-bearer',
] as const
export const BEARER = /^fgrnt_bearer_[A-Za-z0-9_-]{22,128}$/

/** A grant as anyone may see it: nothing in it opens anything. */
export const Grant = z
  .strictObject({
    schema: z.literal(GRANT_SCHEMA),
    grant_id: z.string().regex(GRANT_ID),
    vault_id: z.string(),
    scope: ScopeName,
    flow_id: FlowId,
    flow_version: z.string(),
    allowed_tools: z.array(z.string()),
    allowed_harnesses: z.array(z.literal('agent_bundle')).length(1),
    expires_at: z.iso.datetime(),
    issued_at: z.iso.datetime(),
    revoked_at: z.iso.datetime().nullable(),
    actor_hash: z.string().regex(/^[0-9a-f]{64}$/),
    max_invocations: z.int().nonnegative(),
    invocation_count: z.int().nonnegative(),
  })
  .meta({ id: 'FlowExternalGrant' })
export type Grant = z.infer<typeof Grant>

/** Reviewed definitions by the ids of their tools. */
export const MintedPins = z.record(z.string(), z.string().regex(PIN))

/** Where a stored grant keeps the pins that it was minted against: they are no part of its record. */
export const MINTED_PINS = Symbol('minted against')

/** Which reviewed definitions the tools had when the grant was minted, by the tools' ids. */
export function grantedPins(grant: Grant): Readonly<Record<string, string>> {
  return (grant as { [MINTED_PINS]?: Record<string, string> })[MINTED_PINS] ?? {}
}

/** Past its moment, or with a moment nobody can read. */
export function isExpired({ expires_at }: Pick<Grant, 'expires_at'>, now: Date): boolean {
  return !(now.getTime() <= Date.parse(expires_at))
}
