import { z } from 'zod'
import { anyVisitor, ownerSurface } from '../../../operations/authority.ts'
import { Labels, labelled, ownersLabels } from '../../../operations/present/labels.ts'
import { OWNER_ID } from '../../../platform/identity/owner-account.ts'
import {
  findLiveOwnerAgent,
  listOwnerAgents,
  revokeOwnerAgent,
} from '../../../platform/identity/owner-agents.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { revokeSubscriptions } from '../subscriptions/subscription-store.ts'
import { AgentId, AgentShape, identityErrors, showAgent } from './owner-schemas.ts'

const LIST_LIMIT = 200
/** Longer than any bearer: what is no bearer of ours is no reason for an error of its own. */
const Token = z.string().min(1).max(8_192)

export const OwnerAgentListOutput = z.strictObject({
  object: z.literal('list'),
  data: z.array(AgentShape),
  truncated: z.boolean(),
  labels: Labels.optional(),
})

export const ownerAgentList = defineOwnerOperation({
  name: 'owner_agent_list',
  summary: 'List the agents that the owner approved, newest first.',
  effect: 'read',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'GET /v1/owner/agents',
  cli: 'owner agent list',
  errors: {},
  input: z.strictObject({}),
  output: OwnerAgentListOutput,
  present: async () => (await import('./present-owner.ts')).presentOwnerAgents,
  async handle({ db, now, vault_id, caller }) {
    const found = await listOwnerAgents(db, LIST_LIMIT + 1)
    const data = found.slice(0, LIST_LIMIT).map((agent) => showAgent(agent, now))
    const ids = data.map(({ agent_id }) => agent_id)
    const labels = await ownersLabels({ db, vault_id, caller }, ids)
    return { object: 'list' as const, data, truncated: found.length > LIST_LIMIT, ...labelled(labels) }
  },
})

export const ownerAgentRevoke = defineOwnerOperation({
  name: 'owner_agent_revoke',
  summary: 'Revoke an owner agent. It counts from its next call.',
  effect: 'delete',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'DELETE /v1/owner/agents/{agent_id}',
  cli: 'owner agent revoke <agent_id>',
  errors: identityErrors.pick('unknown_agent'),
  target: (input) => ({ kind: 'owner_agent', id: input.agent_id }),
  input: z.strictObject({ agent_id: AgentId.describe('The id of the agent, as the list shows it') }),
  output: AgentShape,
  async handle({ input, db, now, refuse }) {
    const agent = await revokeOwnerAgent(db, input.agent_id, now)
    await revokeSubscriptions(db, input.agent_id, 'agent_revoked', now)
    return agent ? showAgent(agent, now) : refuse('unknown_agent')
  },
})

/** Whoever holds a bearer may give it back (RFC 7009). */
export const ownerTokenRevoke = defineOwnerOperation({
  name: 'owner_token_revoke',
  summary: 'Give the bearer of an owner agent back.',
  effect: 'delete',
  authority: anyVisitor(),
  whileLocked: true,
  rest: 'DELETE /oauth/revoke',
  errors: identityErrors.pick('unknown_agent'),
  input: z.strictObject({ token: Token, token_type_hint: z.string().max(64).optional() }),
  output: z.strictObject({ agent_id: z.string() }),
  made: ({ agent_id }) => ({ kind: 'owner_agent', id: agent_id }),
  async handle({ input, db, now, refuse }) {
    const agent = await findLiveOwnerAgent(db, input.token, now)
    if (!agent) return refuse('unknown_agent')
    await revokeOwnerAgent(db, agent.agent_id, now)
    await revokeSubscriptions(db, agent.agent_id, 'agent_revoked', now)
    return { agent_id: agent.agent_id }
  },
})

/** Tells what a bearer is worth (RFC 7662): the owner about any, an agent about its own and no other. */
export const ownerTokenIntrospect = defineOwnerOperation({
  name: 'owner_token_introspect',
  summary: 'Tell whether the bearer of an owner agent is live, and whose it is.',
  effect: 'read',
  authority: ownerSurface(),
  whileLocked: true,
  rest: 'POST /oauth/introspect',
  errors: {},
  input: z.strictObject({ token: Token, token_type_hint: z.string().max(64).optional() }),
  output: z.union([
    z.strictObject({ active: z.literal(false) }),
    z.strictObject({
      active: z.literal(true),
      token_type: z.literal('Bearer'),
      scope: z.literal('owner'),
      pdpp_token_kind: z.literal('owner'),
      sub: z.string(),
      agent_id: z.string(),
      client_id: z.string(),
      client_name: z.string(),
      iat: z.int(),
      exp: z.int(),
    }),
  ]),
  async handle({ input, caller, db, now }) {
    const agent = await findLiveOwnerAgent(db, input.token, now)
    const isOthers = caller.kind === 'owner_agent' && caller.id !== agent?.agent_id
    if (!agent || isOthers) return { active: false as const }
    const { agent_id, client_id, client_name, created_at, expires_at } = agent
    return {
      active: true as const,
      token_type: 'Bearer' as const,
      scope: 'owner' as const,
      pdpp_token_kind: 'owner' as const,
      sub: OWNER_ID,
      agent_id,
      client_id,
      client_name,
      iat: secondsOf(created_at),
      exp: secondsOf(expires_at),
    }
  },
})

function secondsOf(time: string): number {
  return Math.floor(Date.parse(time) / 1_000)
}
