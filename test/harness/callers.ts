import { SignJWT } from 'jose'
import {
  type Caller,
  localCaller,
  ownerSessionCaller,
  ROLES,
  type Role,
} from '../../src/platform/identity/caller.ts'

/** Everyone a test can call as. The roles hold local tokens of the vault `default`; `owner` is signed in. */
export const WHO = ['anonymous', ...ROLES, 'hub', 'local', 'owner', 'gateway'] as const
export type Who = (typeof WHO)[number]

/** The gateway's user in tests: an editor of the vault `default`. */
export const GATEWAY_CLAIMS = { sub: 'ann', role: 'editor', vault_ids: ['default'] }
export const JWT_SECRET = 'a secret of the tests, long enough for HS256'

/** Credentials of one test hub. */
export interface Credentials {
  /** What each kind of caller puts after `Bearer`; nothing for those who bring none. */
  readonly bearers: Readonly<Record<Who, string | undefined>>
  readonly token_ids: Readonly<Record<Role, string>>
}

/** A JWT as the gateway signs it. */
export function signGatewayJwt(claims: Record<string, unknown> = GATEWAY_CLAIMS): Promise<string> {
  const key = new TextEncoder().encode(JWT_SECRET)
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('1h').sign(key)
}

/** The caller that the pipeline is to see behind each credential. */
export function callerOf(who: Who, { token_ids }: Credentials): Caller {
  const client = 'other'
  if (who === 'anonymous') return { kind: 'anonymous', id: '-', role: 'viewer', vaults: [], client }
  if (who === 'hub') return { kind: 'hub', id: 'hub', role: 'admin', vaults: '*', client }
  if (who === 'local') return localCaller(client)
  if (who === 'owner') return ownerSessionCaller('oses_0000000000000000', client)
  if (who === 'gateway') return { kind: 'gateway', id: 'ann', role: 'editor', vaults: ['default'], client }
  return { kind: 'token', id: token_ids[who], role: who, vaults: ['default'], client }
}
