import { hashSecret, isSecret } from '../basics/secret-hash.ts'
import type { Database } from '../storage/database.ts'
import {
  anonymous,
  type Caller,
  mcpClientCaller,
  ownerAgentCaller,
  ownerSessionCaller,
  toolboxCaller,
} from './caller.ts'
import { gatewayCaller, type VerifyJwt } from './gateway-jwt.ts'
import type { HubToken } from './hub-token.ts'
import { findConsentOfToken, MCP_TOKEN } from './mcp/mcp-consents.ts'
import { AGENT_PREFIX, findLiveOwnerAgent } from './owner-agents.ts'
import { findLiveOwnerSession, noteSeen } from './owner-sessions.ts'
import { findLiveSession, SESSION_PREFIX, seatOf } from './seat-store.ts'
import { findLiveToken, TOKEN_PREFIX } from './token-store.ts'

export interface Credentials {
  /** The Authorization header, as it came. */
  authorization: string | undefined
  /** The owner's session cookie, where it came with a request that a page of another origin cannot have sent. */
  session?: string | undefined
  /** Under which of the hub's names it came. Local credentials count on loopback only, gateways' not under the public one. */
  place: 'loopback' | 'public' | 'hosted'
  client: string
}

/** Who the credentials prove the caller to be, by what is stored at this moment. */
export type Authenticate = (credentials: Credentials) => Promise<Caller>

const BEARER_LIMIT = 8_192

interface Needs {
  db: Database
  now: () => Date
  /** The hub's own token as it is now. */
  hubToken: () => HubToken | undefined
  verifyJwt: VerifyJwt | undefined
}

/** Builds the one function that turns presented credentials into a caller. */
export function authenticator(needs: Needs): Authenticate {
  return async ({ authorization, session, place, client }) => {
    const loopback = place === 'loopback'
    const bearer = bearerOf(authorization)
    if (!bearer && session && place !== 'hosted' && authorization === undefined)
      return ownerOf(needs, session, client)
    if (!bearer) return anonymous(client)
    const findHub = () => (loopback && isHubToken(needs.hubToken(), bearer) ? hubCaller(client) : undefined)
    // The token of the hub may be any text: one that looks like another's is its own where it is nobody else's.
    if (loopback && bearer.startsWith(TOKEN_PREFIX)) {
      const found = await tokenCaller(needs, bearer, client)
      return found.kind === 'anonymous' ? (findHub() ?? found) : found
    }
    return findHub() ?? otherCaller(needs, bearer, place, client)
  }
}

function hubCaller(client: string): Caller {
  return { kind: 'hub', id: 'hub', role: 'admin', vaults: '*', client }
}

/** Its length is no secret, and tells most other credentials apart without a hash. */
function isHubToken(token: HubToken | undefined, bearer: string): boolean {
  return token !== undefined && bearer.length === token.length && isSecret(bearer, token.hash)
}

async function tokenCaller({ db, now }: Needs, bearer: string, client: string): Promise<Caller> {
  const token = await findLiveToken(db, bearer, now())
  if (!token) return anonymous(client)
  return { kind: 'token', id: token.token_id, role: token.role, vaults: [token.vault_id], client }
}

async function otherCaller(
  needs: Needs,
  bearer: string,
  place: Credentials['place'],
  client: string,
): Promise<Caller> {
  if (place === 'loopback' && bearer.startsWith(SESSION_PREFIX)) {
    const seat = await findLiveSession(needs.db, bearer, needs.now())
    if (!seat) return anonymous(client)
    return toolboxCaller(seat.session_id, seat.vault_id, seatOf(seat), client)
  }
  if (place !== 'hosted' && bearer.startsWith(AGENT_PREFIX)) {
    const agent = await findLiveOwnerAgent(needs.db, bearer, needs.now())
    if (!agent) return anonymous(client)
    const { agent_id, client_id, client_name } = agent
    return ownerAgentCaller(agent_id, { client_id, client_name }, client)
  }
  if (place !== 'hosted' && MCP_TOKEN.test(bearer)) {
    const consent = await findConsentOfToken(needs.db, hashSecret(bearer), needs.now())
    return consent ? mcpClientCaller(consent, client) : anonymous(client)
  }
  const verified = place !== 'public' && bearer.includes('.') ? await needs.verifyJwt?.(bearer) : undefined
  return (verified && gatewayCaller(verified, client)) ?? anonymous(client)
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
