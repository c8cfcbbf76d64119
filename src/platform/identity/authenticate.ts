import { onceATurn } from '../basics/once-a-turn.ts'
import { isSecret } from '../basics/secret-hash.ts'
import type { Database } from '../storage/database.ts'
import { anonymous, type Caller, ownerAgentCaller, ownerSessionCaller, toolboxCaller } from './caller.ts'
import { gatewayCaller, type VerifyJwt } from './gateway-jwt.ts'
import type { HubToken } from './hub-token.ts'
import { AGENT_PREFIX, findLiveOwnerAgent } from './owner-agents.ts'
import { findLiveOwnerSession, noteSeen } from './owner-sessions.ts'
import { findLiveSession, SESSION_PREFIX, seatOf } from './seat-store.ts'
import { findLiveToken, TOKEN_PREFIX, type TokenRecord } from './token-store.ts'

export interface Credentials {
  /** The Authorization header, as it came. */
  authorization: string | undefined
  /** The owner's session cookie, where it came with a request that a page of another origin cannot have sent. */
  session?: string | undefined
  /** Whether the request's Host is a loopback name: only then local credentials count. */
  loopback: boolean
  client: string
}

/** Who the credentials prove the caller to be; at once where nothing has to be looked up. */
export type Authenticate = (credentials: Credentials) => Caller | Promise<Caller>

const BEARER_LIMIT = 8_192

/** Builds the one function that turns presented credentials into a caller. */
export function authenticator(needs: {
  db: Database
  now: () => Date
  /** The hub's own token as it is now. */
  hubToken: () => HubToken | undefined
  verifyJwt: VerifyJwt | undefined
}): Authenticate {
  const lookUp = sharedInATurn(bearerLookup(needs))
  return ({ authorization, session, loopback, client }) => {
    const bearer = bearerOf(authorization)
    if (!bearer && session && loopback && authorization === undefined) return ownerOf(needs, session, client)
    if (!bearer) return anonymous(client)
    const findHub = () => (loopback && isHubToken(needs.hubToken(), bearer) ? hubCaller(client) : undefined)
    // The token of the hub may be any text: one that looks like another's is its own where it is nobody else's.
    if (loopback && bearer.startsWith(TOKEN_PREFIX)) {
      const orHub = (found: Caller) => (found.kind === 'anonymous' ? (findHub() ?? found) : found)
      const found = lookUp(bearer, loopback, client)
      return found instanceof Promise ? found.then(orHub) : orHub(found)
    }
    return findHub() ?? lookUp(bearer, loopback, client)
  }
}

function hubCaller(client: string): Caller {
  return { kind: 'hub', id: 'hub', role: 'admin', vaults: '*', client }
}

/** Its length is no secret, and tells most other credentials apart without a hash. */
function isHubToken(token: HubToken | undefined, bearer: string): boolean {
  return token !== undefined && bearer.length === token.length && isSecret(bearer, token.hash)
}

type LookUp = (bearer: string, loopback: boolean, client: string) => Caller | Promise<Caller>

/** Requests that were read together and come from one caller share a look. No header can hold what parts the key. */
function sharedInATurn(lookUp: LookUp): LookUp {
  const look = onceATurn((_key: string, ...asked: Parameters<LookUp>) => lookUp(...asked))
  return (bearer, loopback, client) => look(`${loopback}\0${client}\0${bearer}`, bearer, loopback, client)
}

/** A local token's caller; at once where what is stored of the token is known. */
function tokenCaller({ db, now }: Needs, bearer: string, client: string): Caller | Promise<Caller> {
  const callerOf = (token: TokenRecord | undefined): Caller =>
    token
      ? { kind: 'token', id: token.token_id, role: token.role, vaults: [token.vault_id], client }
      : anonymous(client)
  const found = findLiveToken(db, bearer, now())
  return found instanceof Promise ? found.then(callerOf) : callerOf(found)
}

type Needs = { db: Database; now: () => Date; verifyJwt: VerifyJwt | undefined }

function bearerLookup(needs: Needs): LookUp {
  return (bearer, loopback, client) =>
    loopback && bearer.startsWith(TOKEN_PREFIX)
      ? tokenCaller(needs, bearer, client)
      : otherCaller(needs, bearer, loopback, client)
}

async function otherCaller(needs: Needs, bearer: string, loopback: boolean, client: string): Promise<Caller> {
  if (loopback && bearer.startsWith(SESSION_PREFIX)) {
    const seat = await findLiveSession(needs.db, bearer, needs.now())
    if (!seat) return anonymous(client)
    return toolboxCaller(seat.session_id, seat.vault_id, seatOf(seat), client)
  }
  if (loopback && bearer.startsWith(AGENT_PREFIX)) {
    const agent = await findLiveOwnerAgent(needs.db, bearer, needs.now())
    if (!agent) return anonymous(client)
    const { agent_id, client_id, client_name } = agent
    return ownerAgentCaller(agent_id, { client_id, client_name }, client)
  }
  const claims = bearer.includes('.') ? await needs.verifyJwt?.(bearer) : undefined
  return (claims && gatewayCaller(claims, client)) ?? anonymous(client)
}

async function ownerOf(
  { db, now }: { db: Database; now: () => Date },
  cookie: string,
  client: string,
): Promise<Caller> {
  const session = await findLiveOwnerSession(db, cookie, now())
  if (!session) return anonymous(client)
  await noteSeen(db, session, now())
  return ownerSessionCaller(session.session_id, client)
}

function bearerOf(authorization: string | undefined): string | undefined {
  if (!authorization || authorization.length > BEARER_LIMIT) return undefined
  return /^bearer +(\S+)$/i.exec(authorization)?.[1]
}
