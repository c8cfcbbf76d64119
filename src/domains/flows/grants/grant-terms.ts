import type { VaultPolicy } from '../../../platform/policy/vault-policy.ts'

/** What every grant of a vault is bound by. */
export interface GrantTerms {
  default_ttl_seconds: number
  max_ttl_seconds: number
  /** 0 means without limit. */
  max_invocations: number
  max_live_grants: number
}

const HARD_MAX_TTL_SECONDS = 86_400
const DEFAULT_TTL_SECONDS = 3_600
const DEFAULT_MAX_INVOCATIONS = 100
const DEFAULT_MAX_LIVE_GRANTS = 100_000

/** The policy's terms within our own bounds: no lifetime over a day, no endless grant by accident. */
export function grantTerms({ external_agent = {} }: VaultPolicy): GrantTerms {
  const max_ttl_seconds = Math.min(
    external_agent.max_ttl_seconds ?? HARD_MAX_TTL_SECONDS,
    HARD_MAX_TTL_SECONDS,
  )
  const cap = external_agent.max_invocations ?? DEFAULT_MAX_INVOCATIONS
  const unlimited = cap === 0 && external_agent.allow_unlimited_invocations !== true
  return {
    max_ttl_seconds,
    default_ttl_seconds: Math.min(external_agent.default_ttl_seconds ?? DEFAULT_TTL_SECONDS, max_ttl_seconds),
    max_invocations: unlimited ? DEFAULT_MAX_INVOCATIONS : cap,
    max_live_grants: external_agent.max_live_grants ?? DEFAULT_MAX_LIVE_GRANTS,
  }
}
