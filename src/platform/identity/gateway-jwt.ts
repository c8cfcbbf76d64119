import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose'
import { type Caller, ROLES, type Role } from './caller.ts'

const AUDIENCE = 'knowtation-hub-rest'
const CLOCK_TOLERANCE_SECONDS = 5
/** How long a token counts that tells only when it was made. */
const WITHOUT_END_SECONDS = 3_600
/** A subject ends up in the audit log: an id of ordinary signs, not a text. */
const SUBJECT = /^[\w.@:|+-]{1,128}$/

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** A variable of the environment that no gateway can be trusted by; the hub does not start with it. */
class SettingInvalid extends Error {
  override readonly name = 'SettingInvalid'
}

/** Verifies a gateway JWT and answers its claims, or nothing. */
export type VerifyJwt = (token: string) => Promise<JWTPayload | undefined>

/**
 * The verifier that the environment sets up: a shared secret (HS256), a key set by URL with issuer, or
 * both. Without either no JWT is accepted.
 */
export async function gatewayVerifier(
  env: NodeJS.ProcessEnv,
  now: () => Date = () => new Date(),
  /** Told when the keys cannot be had: then every gateway JWT is refused, and the owner should know why. */
  onKeyFault: (fault: string) => void = () => {},
): Promise<VerifyJwt | undefined> {
  const { KNOWTATION_JWT_SECRET: secret, KNOWTATION_JWKS_URL: url, KNOWTATION_JWT_ISSUER: issuer } = env
  if (!secret && !url) return undefined
  const jose = await import('jose')
  const ways: VerifyJwt[] = []
  const verifier =
    (key: Uint8Array | JWTVerifyGetKey, options: JWTVerifyOptions): VerifyJwt =>
    async (token) => {
      const always = { requiredClaims: ['sub'], clockTolerance: CLOCK_TOLERANCE_SECONDS }
      const all = { ...options, ...always, currentDate: now() }
      try {
        const { payload } = await jose.jwtVerify(token, key as JWTVerifyGetKey, all)
        return hasEnd(payload, now()) ? payload : undefined
      } catch (error) {
        if (isKeyFault(error)) onKeyFault((error as Error).name)
        return undefined
      }
    }
  if (secret) {
    if (secret.length < 32)
      throw new SettingInvalid('KNOWTATION_JWT_SECRET must have at least 32 characters.')
    ways.push(
      verifier(new TextEncoder().encode(secret), { algorithms: ['HS256'], ...(issuer && { issuer }) }),
    )
  }
  if (url) {
    if (!issuer) throw new SettingInvalid('KNOWTATION_JWKS_URL needs KNOWTATION_JWT_ISSUER beside it.')
    const keys = jose.createRemoteJWKSet(keySetAddress(url))
    ways.push(
      verifier(keys, { algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'], issuer, audience: AUDIENCE }),
    )
  }
  return async (token) => {
    for (const way of ways) {
      const claims = await way(token)
      if (claims) return claims
    }
    return undefined
  }
}

/** Whether a token stops counting some day: one that tells neither its end nor when it was made never would. */
function hasEnd({ exp, iat }: JWTPayload, now: Date): boolean {
  if (exp !== undefined) return true
  const age = iat === undefined ? Number.NaN : now.getTime() / 1_000 - iat
  return age >= -CLOCK_TOLERANCE_SECONDS && age < WITHOUT_END_SECONDS
}

/** Whoever can change the keys on their way signs as anybody: over plain http they come from this machine alone. */
function keySetAddress(text: string): URL {
  const url = URL.parse(text)
  if (!url) throw new SettingInvalid('KNOWTATION_JWKS_URL is not a URL.')
  const { protocol, hostname } = url
  if (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))) return url
  throw new SettingInvalid('KNOWTATION_JWKS_URL must be an https address, or http on this machine.')
}

/** Whether the keys could not be fetched or read, as against a token that is not good. */
function isKeyFault(error: unknown): boolean {
  const code = (error as { code?: unknown }).code
  return (
    typeof code !== 'string' ||
    code === 'ERR_JWKS_TIMEOUT' ||
    code === 'ERR_JWKS_INVALID' ||
    code === 'ERR_JOSE_GENERIC'
  )
}

/** Turns verified claims into a caller, or nothing when they do not name one. */
export function gatewayCaller(claims: JWTPayload, client: string): Caller | undefined {
  if (typeof claims.sub !== 'string' || !SUBJECT.test(claims.sub)) return undefined
  const forAgents = isForAgents(claims)
  const audience = [claims.aud ?? []].flat()
  if ((forAgents || audience.length > 0) && !audience.includes(AUDIENCE)) return undefined
  const vaults = Array.isArray(claims.vault_ids)
    ? claims.vault_ids.filter((id) => typeof id === 'string')
    : []
  return { kind: 'gateway', id: claims.sub, role: roleOf(claims, forAgents), vaults, client }
}

/** Either name will do: a token that calls itself an agent's must not pass for the person behind it. */
function isForAgents({ type, typ }: JWTPayload): boolean {
  return type === 'agent_access' || type === 'mcp_access' || typ === 'kt_agent_access'
}

/** An agent's token gets its role from its scopes alone: the rights of the person behind it do not count. */
function roleOf(claims: JWTPayload, forAgents: boolean): Role {
  if (!forAgents)
    return claims.role === 'member' ? 'editor' : (ROLES.find((role) => role === claims.role) ?? 'viewer')
  const scopes = typeof claims.scope === 'string' ? claims.scope.split(' ') : [claims.scopes ?? []].flat()
  if (scopes.includes('admin') || scopes.includes('vault:admin')) return 'admin'
  if (scopes.includes('vault:write') || scopes.includes('propose')) return 'editor'
  return 'viewer'
}
