import { z } from 'zod'
import { hubOwner } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { Labels, labelled, ownersLabels } from '../../../operations/present/labels.ts'
import { listSessions } from '../../../platform/identity/seat-store.ts'
import { Session, showSession } from './session-schemas.ts'

const LIST_LIMIT = 200

export const ToolSessionListOutput = z.strictObject({
  schema: z.literal('knowtation.tool_session_list/v0'),
  vault_id: z.string(),
  sessions: z.array(Session),
  labels: Labels.optional(),
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
  async handle({ vault_id, db, caller }) {
    const found = await listSessions(db, vault_id, LIST_LIMIT + 1)
    const sessions = found.slice(0, LIST_LIMIT).map(showSession)
    const ids = sessions.map(({ session_id }) => session_id)
    const labels = await ownersLabels({ db, vault_id, caller }, ids)
    return {
      schema: 'knowtation.tool_session_list/v0' as const,
      vault_id,
      sessions,
      truncated: found.length > LIST_LIMIT,
      ...labelled(labels),
    }
  },
})
