import { z } from 'zod'
import { errorTable } from '../../../operations/errors.ts'
import { ROLES } from '../../../platform/identity/caller.ts'
import type { McpConsent } from '../../../platform/identity/mcp/mcp-consents.ts'

export const consentErrors = errorTable({
  unknown_consent: {
    status: 404,
    message: 'There is no such consent.',
    hint: '`knowtation consent list` shows them.',
  },
  consent_changed: {
    status: 409,
    message:
      'What was chosen is not offered any more: the flow or the policy has changed meanwhile. Choose again.',
  },
  request_over: {
    status: 410,
    message: 'This request was decided before, or its time is over. Start again in your program.',
  },
})

export const ConsentId = z.string().regex(/^cons_[0-9a-f]{16}$/)
const Time = z.string()
const Bound = z.int().min(1).max(1_000_000_000).optional()

/** What the owner bounds the calls of a grant by; the policy's own bounds count beside. */
export const ConsentBounds = z.strictObject({
  calls_per_minute: Bound,
  max_payload_bytes: Bound,
  max_result_bytes: Bound,
})

export const ConsentShape = z.strictObject({
  object: z.literal('mcp_consent'),
  consent_id: ConsentId,
  label: z.string(),
  client_name: z.string(),
  client_address: z.string(),
  kind: z.enum(['membership', 'grant']),
  vault_id: z.string(),
  role: z.enum(ROLES).nullable(),
  flow_id: z.string().nullable(),
  flow_version: z.string().nullable(),
  tools: z.array(z.string()),
  ttl_seconds: z.int().nullable(),
  max_invocations: z.int().nullable(),
  bounds: ConsentBounds.nullable(),
  state: z.enum(['standing', 'ended']),
  created_at: Time,
  decided_by: z.string(),
  standing_until: Time,
  renewals: z.int(),
  grant_id: z.string().nullable(),
  ended_at: Time.nullable(),
  end_reason: z.string().nullable(),
})

/** A consent as the owner may see it. */
export function showConsent(consent: McpConsent, now: Date): z.output<typeof ConsentShape> {
  const { client_id: _client, family_key: _key, period_started_at: _period, terms, ...shown } = consent
  const isOver = consent.ended_at !== null || consent.standing_until <= now.toISOString()
  return {
    object: 'mcp_consent',
    ...shown,
    // The role under a grant only lets its holder see the flow.
    role: terms ? null : consent.role,
    flow_id: terms?.flow_id ?? null,
    flow_version: terms?.flow_version ?? null,
    tools: [...(terms?.tools ?? [])],
    ttl_seconds: terms?.ttl_seconds ?? null,
    max_invocations: terms?.max_invocations ?? null,
    bounds: terms?.bounds ?? null,
    state: isOver ? 'ended' : 'standing',
    end_reason: consent.end_reason ?? (isOver ? 'expired' : null),
  }
}
