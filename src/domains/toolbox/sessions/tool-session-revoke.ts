import { z } from 'zod'
import { hubOwner } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { revokeSession } from '../../../platform/identity/seat-store.ts'
import { Session, SessionId, sessionErrors, showSession } from './session-schemas.ts'

export const ToolSessionRevokeOutput = z.strictObject({
  schema: z.literal('knowtation.tool_session/v0'),
  vault_id: z.string(),
  session: Session,
})

export const toolSessionRevoke = defineOperation({
  name: 'tool_session_revoke',
  summary: 'End a toolbox session. It counts from the next call, everywhere.',
  effect: 'delete',
  authority: hubOwner(),
  whileLocked: true,
  rest: 'DELETE /api/v1/tool-sessions/{session_id}',
  cli: 'tool session revoke <session_id>',
  errors: sessionErrors.pick('unknown_tool_session'),
  target: (input) => ({ kind: 'tool_session', id: input.session_id }),
  input: z.strictObject({ session_id: SessionId.describe('The id of the session, as the list shows it') }),
  output: ToolSessionRevokeOutput,
  present: async () => (await import('./present-sessions.ts')).presentSession,
  async handle({ input, vault_id, db, now, refuse }) {
    const session = await revokeSession(db, vault_id, input.session_id, now)
    if (!session) return refuse('unknown_tool_session')
    return { schema: 'knowtation.tool_session/v0', vault_id, session: showSession(session) }
  },
})
