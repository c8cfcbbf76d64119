import { z } from 'zod'
import { hubOwner } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { listSessions } from '../../../platform/identity/seat-store.ts'
import { Session, showSession } from './session-schemas.ts'

const LIST_LIMIT = 200

export const ToolSessionListOutput = z.strictObject({
  schema: z.literal('knowtation.tool_session_list/v0'),
  vault_id: z.string(),
  sessions: z.array(Session),
  truncated: z.boolean(),
})

export const toolSessionList = defineOperation({
  name: 'tool_session_list',
  summary: 'List the toolbox sessions of this vault, newest first.',
  effect: 'read',
  authority: hubOwner(),
  whileLocked: true,
  rest: 'GET /api/v1/tool-sessions',
  cli: 'tool session list',
  errors: {},
  input: z.strictObject({}),
  output: ToolSessionListOutput,
  present: async () => (await import('./present-sessions.ts')).presentSessionList,
  async handle({ vault_id, db }) {
    const found = await listSessions(db, vault_id, LIST_LIMIT + 1)
    return {
      schema: 'knowtation.tool_session_list/v0',
      vault_id,
      sessions: found.slice(0, LIST_LIMIT).map(showSession),
      truncated: found.length > LIST_LIMIT,
    }
  },
})
