import { z } from 'zod'
import { endAllMcpConsents } from '../../../platform/identity/mcp/mcp-consents.ts'
import { listOwnerAgents, revokeOwnerAgent } from '../../../platform/identity/owner-agents.ts'
import { takeBackApprovals } from '../../../platform/identity/owner-device-grants.ts'
import { endAllLinks } from '../../../platform/identity/owner-links.ts'
import { removeAllPasskeys } from '../../../platform/identity/owner-passkeys.ts'
import { endAllOwnerSessions } from '../../../platform/identity/owner-sessions.ts'
import { revokeAllSessions } from '../../../platform/identity/seat-store.ts'
import { revokeAllTokens } from '../../../platform/identity/token-store.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { revokeSubscriptions } from '../subscriptions/subscription-store.ts'

/** What may be thrown away beside the sessions, by whoever fears that somebody else has it. */
export const ALSO = {
  passkeys: z.boolean().optional().describe('Take all passkeys away, too'),
  agents: z.boolean().optional().describe('Revoke all owner agents, too'),
  tokens: z.boolean().optional().describe('Revoke all tokens, toolbox sessions and consents for MCP, too'),
}

export interface Also {
  readonly passkeys?: boolean | undefined
  readonly agents?: boolean | undefined
  readonly tokens?: boolean | undefined
}

/** What was thrown away. */
export const Thrown = {
  ended_sessions: z.int(),
  ended_links: z.int(),
  removed_passkeys: z.int(),
  revoked_agents: z.int(),
  revoked_tokens: z.int(),
}

/** More than the owner could have approved one by one. */
const AGENTS_LIMIT = 10_000

/**
 * Ends every session and every link that was not used yet: a link is as good as a session to whoever has it, and so is
 * an approval that no program has fetched its bearer for. What else opens the hub ends where the owner says so.
 */
export async function throwOut(tx: Transaction, also: Also, now: Date) {
  await takeBackApprovals(tx)
  return {
    ended_sessions: await endAllOwnerSessions(tx, now),
    ended_links: await endAllLinks(tx, now),
    removed_passkeys: also.passkeys ? await removeAllPasskeys(tx) : 0,
    revoked_agents: also.agents ? await revokeAllAgents(tx, now) : 0,
    revoked_tokens: also.tokens ? await revokeAllCredentials(tx, now) : 0,
  }
}

async function revokeAllCredentials(tx: Transaction, now: Date): Promise<number> {
  const [tokens, seats] = [await revokeAllTokens(tx, now), await revokeAllSessions(tx, now)]
  return tokens + seats + (await endAllMcpConsents(tx, now))
}

async function revokeAllAgents(tx: Transaction, now: Date): Promise<number> {
  const agents = await listOwnerAgents(tx, AGENTS_LIMIT)
  const live = agents.filter(({ revoked_at, expires_at }) => !revoked_at && expires_at > now.toISOString())
  for (const { agent_id } of live) {
    await revokeOwnerAgent(tx, agent_id, now)
    await revokeSubscriptions(tx, agent_id, 'agent_revoked', now)
  }
  return live.length
}
