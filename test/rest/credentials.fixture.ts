import { createHmac } from 'node:crypto'
import { SignJWT } from 'jose'
import { createToken, revokeToken } from '../../src/platform/identity/token-store.ts'
import { JWT_SECRET } from '../harness/callers.ts'
import type { TestHub } from '../harness/test-hub.ts'

/** Whom the hub is to see behind a credential: nobody, a role in the vault `default`, or a stranger to it. */
export type Seen = 'nobody' | 'viewer' | 'editor' | 'evaluator' | 'admin' | 'hub' | 'foreign'

export interface Credential {
  name: string
  authorization: string | undefined
  seen: Seen
  /** Whether it counts under a hosted name too. */
  hosted: boolean
}

const HOUR_SECONDS = 3_600
const encoder = new TextEncoder()

export interface JwtWish {
  claims?: Record<string, unknown>
  /** Claims to leave out. */
  without?: string[]
  secret?: string
  alg?: string
  header?: Record<string, unknown>
}

/** A JWT like the gateway's, except for what is wished otherwise. */
export function jwt({ claims, without = [], secret = JWT_SECRET, alg = 'HS256', header }: JwtWish = {}) {
  const now = Math.floor(Date.now() / 1_000)
  const all: Record<string, unknown> = {
    sub: 'ann',
    role: 'viewer',
    vault_ids: ['default'],
    iat: now,
    exp: now + HOUR_SECONDS,
    ...claims,
  }
  for (const name of without) delete all[name]
  return new SignJWT(all).setProtectedHeader({ alg, ...header }).sign(encoder.encode(secret))
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token of three parts put together by hand, for what no library would sign. */
export function forgedJwt(header: object, claims: object, key?: string): string {
  const signed = `${part(header)}.${part(claims)}`
  return `${signed}.${key === undefined ? '' : createHmac('sha256', key).update(signed).digest('base64url')}`
}

export const seconds = (fromNow: number) => Math.floor(Date.now() / 1_000) + fromNow

function local(name: string, bearer: string | undefined, seen: Seen): Credential {
  return { name, authorization: bearer && `Bearer ${bearer}`, seen, hosted: false }
}

/** Every kind of credential with whom the hub is to see behind it. */
export async function allCredentials(hub: TestHub): Promise<Credential[]> {
  const { bearers } = hub.credentials
  return [
    local('none', undefined, 'nobody'),
    local('garbage', 'garbage', 'nobody'),
    // Well formed and of a token that there is: only the secret tells it apart.
    local('local token with a wrong secret', `${bearers.admin?.slice(0, -64)}${'0'.repeat(64)}`, 'nobody'),
    local('grant bearer', `fgrnt_bearer_${'a'.repeat(43)}`, 'nobody'),
    local('delegation bearer', `dgrnt_bearer_${'a'.repeat(43)}`, 'nobody'),
    local('expired token', await deadToken(hub, 'expired'), 'nobody'),
    local('revoked token', await deadToken(hub, 'revoked'), 'nobody'),
    local('foreign token', await foreignToken(hub), 'foreign'),
    local('viewer token', bearers.viewer, 'viewer'),
    local('editor token', bearers.editor, 'editor'),
    local('admin token', bearers.admin, 'admin'),
    local('hub token', bearers.hub, 'hub'),
    ...['Basic', 'bearer'].map((scheme) => ({
      name: `hub token as ${scheme}`,
      authorization: `${scheme} ${bearers.hub}`,
      // RFC 7235: the scheme's name may be written in any case.
      seen: scheme === 'bearer' ? ('hub' as const) : ('nobody' as const),
      hosted: false,
    })),
    ...(await gatewayCredentials()),
  ]
}

/** JWTs, good and bad, with whom the hub is to see behind each. */
export async function gatewayCredentials(): Promise<Credential[]> {
  const agent = { type: 'agent_access', role: 'admin', aud: 'knowtation-hub-rest' }
  const exp = seconds(HOUR_SECONDS)
  const good = { sub: 'ann', role: 'admin', vault_ids: ['default'], exp }
  const wishes: [string, Seen, string | Promise<string>][] = [
    ['viewer JWT', 'viewer', jwt()],
    ['editor JWT', 'editor', jwt({ claims: { role: 'editor' } })],
    ['member JWT', 'editor', jwt({ claims: { role: 'member' } })],
    ['evaluator JWT', 'evaluator', jwt({ claims: { role: 'evaluator' } })],
    ['admin JWT', 'admin', jwt({ claims: { role: 'admin' } })],
    ['JWT of an unknown role', 'viewer', jwt({ claims: { role: 'emperor' } })],
    ['JWT without a role', 'viewer', jwt({ without: ['role'] })],
    ['JWT with our audience', 'viewer', jwt({ claims: { aud: ['x', 'knowtation-hub-rest'] } })],
    ['JWT of another vault', 'foreign', jwt({ claims: { role: 'admin', vault_ids: ['other'] } })],
    ['JWT of no vault', 'foreign', jwt({ without: ['vault_ids'] })],
    ['JWT whose vaults are a star', 'foreign', jwt({ claims: { vault_ids: '*' } })],
    ['JWT whose vaults hold a star', 'foreign', jwt({ claims: { vault_ids: ['*'] } })],
    ['expired JWT', 'nobody', jwt({ claims: { exp: seconds(-60) } })],
    ['JWT of tomorrow', 'nobody', jwt({ claims: { nbf: seconds(86_400) } })],
    ['JWT for others', 'nobody', jwt({ claims: { aud: 'knowtation-hub-mcp' } })],
    ['JWT without an end', 'nobody', jwt({ without: ['exp', 'iat'] })],
    ['JWT without sub', 'nobody', jwt({ without: ['sub'] })],
    ['JWT with an empty sub', 'nobody', jwt({ claims: { sub: '' } })],
    ['JWT whose sub is a text', 'nobody', jwt({ claims: { sub: 'a b\nc' } })],
    ['JWT by another secret', 'nobody', jwt({ secret: 'x'.repeat(40) })],
    ['HS384 JWT', 'nobody', jwt({ alg: 'HS384' })],
    ['HS512 JWT', 'nobody', jwt({ alg: 'HS512' })],
    ['JWT with an unknown critical header', 'nobody', forgedJwt(CRITICAL, good, JWT_SECRET)],
    ['unsigned JWT', 'nobody', forgedJwt({ alg: 'none' }, good)],
    ['JWT that says none but is signed', 'nobody', forgedJwt({ alg: 'none' }, good, JWT_SECRET)],
    ['JWT that says RS256', 'nobody', forgedJwt({ alg: 'RS256' }, good, JWT_SECRET)],
    ['JWT that says hs256', 'nobody', forgedJwt({ alg: 'hs256' }, good, JWT_SECRET)],
    ['agent reading', 'viewer', jwt({ claims: { ...agent, scopes: ['vault:read'] } })],
    ['agent with a scope text', 'editor', jwt({ claims: { ...agent, scope: 'vault:read vault:write' } })],
    ['agent proposing', 'editor', jwt({ claims: { ...agent, scopes: ['propose'] } })],
    ['agent administering', 'admin', jwt({ claims: { ...agent, role: 'viewer', scopes: ['admin'] } })],
    ['agent without scopes', 'viewer', jwt({ claims: agent })],
    ['agent with almost a scope', 'viewer', jwt({ claims: { ...agent, scope: 'administrator' } })],
    ['agent of another vault', 'foreign', jwt({ claims: { ...agent, scope: 'admin', vault_ids: ['b'] } })],
    ['agent without audience', 'nobody', jwt({ claims: { type: 'agent_access', role: 'admin' } })],
    ['MCP access as admin', 'viewer', jwt({ claims: { ...agent, type: 'mcp_access' } })],
  ]
  const made = wishes.map(async ([name, seen, token]) => ({
    name,
    seen,
    authorization: `Bearer ${await token}`,
    hosted: true,
  }))
  return Promise.all(made)
}

const CRITICAL = { alg: 'HS256', crit: ['kt'], kt: true }

async function deadToken({ hub }: TestHub, death: 'expired' | 'revoked'): Promise<string> {
  const expires_at = death === 'expired' ? new Date(Date.now() - 1).toISOString() : null
  const wanted = { vault_id: 'default', role: 'admin' as const, label: null, created_by: 'test', expires_at }
  return hub.db.transaction(async (tx) => {
    const { bearer, token } = await createToken(tx, hub.system, wanted)
    if (death === 'revoked') await revokeToken(tx, 'default', token.token_id, hub.system.now())
    return bearer
  })
}

async function foreignToken({ hub }: TestHub): Promise<string> {
  const wanted = { vault_id: 'other', role: 'admin' as const, label: null, created_by: 't', expires_at: null }
  return (await hub.db.transaction((tx) => createToken(tx, hub.system, wanted))).bearer
}
