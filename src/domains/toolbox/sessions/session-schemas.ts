import { z } from 'zod'
import { errorTable } from '../../../operations/errors.ts'
import type { SessionRecord } from '../../../platform/identity/seat-store.ts'

export const sessionErrors = errorTable({
  unknown_tool_session: {
    status: 404,
    message: 'There is no such toolbox session in this vault.',
    says: 'There is no such toolbox session here.',
    hint: '`knowtation tool session list` shows the sessions.',
  },
})

export const SessionId = z.string().regex(/^tses_[0-9a-f]{16}$/)

/** A toolbox session as it is shown. */
export const Session = z.strictObject({
  session_id: SessionId,
  agent_id: z.string(),
  role: z.string(),
  project_root: z.string(),
  service_root: z.string(),
  isolation_level: z.string().nullable(),
  allowed_commands: z.array(z.string()).nullable(),
  created_at: z.string(),
  created_by: z.string(),
  expires_at: z.string(),
  revoked_at: z.string().nullable(),
})

/** The record without its vault, which the answer names once. */
export function showSession(record: SessionRecord) {
  const { vault_id: _, allowed_commands, ...session } = record
  const commands = allowed_commands === null ? null : (JSON.parse(allowed_commands) as string[])
  return { ...session, allowed_commands: commands }
}
