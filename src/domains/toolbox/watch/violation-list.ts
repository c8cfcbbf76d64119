import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { limitInput } from '../../../operations/page-cursor.ts'
import { EVENT_ID } from '../../../platform/alerts/event-id.ts'
import { listEvents } from '../../../platform/alerts/event-store.ts'
import { AgentId, SecurityEventWire } from './watch-schemas.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 200

export const ViolationListOutput = z.strictObject({
  schema: z.literal('knowtation.violation_list/v0'),
  vault_id: z.string(),
  violations: z.array(SecurityEventWire),
  next_before: z.string().nullable(),
})

export const violationList = defineOperation({
  name: 'violation_list',
  summary: "Read the toolbox's security stream of this vault, newest first: denials and critical calls.",
  effect: 'read',
  authority: vaultMember('admin'),
  whileLocked: true,
  rest: 'GET /api/v1/toolbox/violations',
  cli: 'violation list',
  errors: {},
  input: z.strictObject({
    agent_id: AgentId.optional().describe('Only events of this agent'),
    before: z.string().regex(EVENT_ID).optional().describe('Go on here: next_before of the last page'),
    limit: limitInput(MAX_LIMIT, DEFAULT_LIMIT),
  }),
  output: ViolationListOutput,
  present: async () => (await import('./present-watch.ts')).presentViolationList,
  async handle({ input, vault_id, db }) {
    const { limit = DEFAULT_LIMIT, ...wanted } = input
    const { events, next_before } = await listEvents(db, { ...wanted, vault_id, limit })
    return { schema: 'knowtation.violation_list/v0', vault_id, violations: events, next_before }
  },
})
