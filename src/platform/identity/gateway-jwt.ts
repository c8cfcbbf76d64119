import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose'
import { type Caller, ROLES, type Role } from './caller.ts'

const AUDIENCE = 'knowtation-hub-rest'
const CLOCK_TOLERANCE_SECONDS = 5
const AGENT_TYPE = 'kt_agent_access'
/** How long a token counts that tells only when it was made. */
const WITHOUT_END_SECONDS = 3_600
/** A subject ends up in the audit log: an id of ordinary signs, not a text. */
const SUBJECT = /^[\w.@:|+-]{1,128}$/
/**
 * Ids of other kinds of callers. Rights of a member and the marks of grants go by a caller's id, so that no gateway may
 * vouch for one that the hub gives itself.
 */
const NOT_A_SUBJECT = /^(hub|local|owner|-|(tok|tses|oses|oagt|opkey|olnk)_[0-9a-f]{16})$/i
/** What a JWT may call itself in its header (RFC 7515, 4.1.9): nothing, a JWT, an access token, or an agent's. */
const TYPES: readonly (string | undefined)[] = [undefined, 'jwt', 'at+jwt', AGENT_TYPE]

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** A variable of the environment that no gateway can be trusted by; the hub does not start with it. */
class SettingInvalid extends Error {
  override readonly name = 'SettingInvalid'
}

/** What a gateway has signed: its claims, and what the token calls itself in its header. */
export interface Verified {
  readonly claims: JWTPayload
  readonly typ: string | undefined
}

/** Verifies a gateway JWT, or answers nothing. */
export type VerifyJwt = (token: string) => Promise<Verified | undefined>

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
        const { payload, protectedHeader } = await jose.jwtVerify(token, key as JWTVerifyGetKey, all)
        return hasEnd(payload, now()) ? { claims: payload, typ: typeOf(protectedHeader.typ) } : undefined
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
      const verified = await way(token)
      if (verified) return verified
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

/** A type as it is compared: without the prefix that may be left out, in small letters. */
function typeOf(typ: unknown): string | undefined {
  return typ === undefined
    ? undefined
    : String(typ)
        .toLowerCase()
        .replace(/^application\//, '')
}

/** Turns verified claims into a caller, or undefined when they do not name one. */
export function gatewayCaller({ claims, typ }: Verified, client: string): Caller | undefined {
  if (typeof claims.sub !== 'string' || !SUBJECT.test(claims.sub) || NOT_A_SUBJECT.test(claims.sub))
    return undefined
  if (!TYPES.includes(typ) || !TYPES.includes(typeOf(claims.typ))) return undefined
  const forAgents = isForAgents(claims, typ)
  const audience = [claims.aud ?? []].flat()
  if ((forAgents || audience.length > 0) && !audience.includes(AUDIENCE)) return undefined
  const vaults = Array.isArray(claims.vault_ids)
    ? claims.vault_ids.filter((id) => typeof id === 'string')
    : []
  return { kind: 'gateway', id: claims.sub, role: roleOf(claims, forAgents), vaults, client }
}

/** Any name will do: a token that calls itself an agent's must not pass for the person behind it. */
function isForAgents({ type, typ }: JWTPayload, header_typ: string | undefined): boolean {
  const isNamed = header_typ === AGENT_TYPE || typeOf(typ) === AGENT_TYPE
  return isNamed || type === 'agent_access' || type === 'mcp_access'
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
