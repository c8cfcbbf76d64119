import { z } from 'zod'
import { hubOwner } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { resolveSeat, SeatInvalid } from '../../../platform/identity/resolve-seat.ts'
import { createSession } from '../../../platform/identity/seat-store.ts'
import { setLabel } from '../../../platform/labels/label-store.ts'
import { TOOL_ROLES } from '../tool-context.ts'
import { Session, showSession } from './session-schemas.ts'

const DEFAULT_TTL_SECONDS = 8 * 3_600
const MAX_TTL_SECONDS = 30 * 86_400
const FOLDER_LIMIT_CHARS = 4_096
const COMMANDS_LIMIT = 100

const Folder = z.string().min(1).max(FOLDER_LIMIT_CHARS)

/** What a seat is made of, and what is shown of it before. */
export const seatInput = {
  service: Folder.describe("The service's folder: absolute, or inside the project"),
  project: Folder.optional().describe('The project; without it the nearest folder above with .flow or .git'),
  role: z.enum(TOOL_ROLES).default('dev').describe('What the agent may do'),
  ttl_seconds: z.int().positive().max(MAX_TTL_SECONDS).default(DEFAULT_TTL_SECONDS).describe('Lifetime'),
  agent_id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/)
    .optional()
    .describe('A name to recognise and lock the agent by; without it the id of the session'),
  isolation_level: z.enum(['STRICT', 'SHARED']).optional().describe("Instead of the project's own"),
  allowed_commands: z
    .array(z.string().min(1).max(64))
    .max(COMMANDS_LIMIT)
    .optional()
    .describe('Of the whitelisted binaries only these may be run'),
}

export const ToolSessionCreateOutput = z.strictObject({
  schema: z.literal('knowtation.tool_session_create/v0'),
  vault_id: z.string(),
  session: Session,
  bearer: z.string(),
})

export const toolSessionCreate = defineOperation({
  name: 'tool_session_create',
  opens: true,
  summary:
    'Give an agent a seat in the toolbox: one service, one role, for a while. Its bearer is shown once.',
  effect: 'create',
  authority: hubOwner(),
  rest: 'POST /api/v1/tool-sessions',
  cli: 'tool session create',
  errors: {},
  input: z.strictObject(seatInput),
  output: ToolSessionCreateOutput,
  present: async () => (await import('./present-sessions.ts')).presentNewSession,
  made: ({ session }) => ({ kind: 'tool_session', id: session.session_id }),
  async handle({ input, caller, vault_id, db, hub, now, refuse }) {
    const { project_root, service_root } = seatFolders(input, (reason) => refuse('BAD_REQUEST', reason))
    const { session, bearer } = await createSession(db, hub.system, {
      vault_id,
      role: input.role,
      project_root,
      service_root,
      isolation_level: input.isolation_level ?? null,
      allowed_commands: input.allowed_commands ? JSON.stringify(input.allowed_commands) : null,
      created_by: `${caller.kind}:${caller.id}`,
      expires_at: new Date(now.getTime() + input.ttl_seconds * 1_000).toISOString(),
      ...(input.agent_id !== undefined && { agent_id: input.agent_id }),
    })
    if (input.agent_id !== undefined)
      await setLabel(db, {
        subject_id: session.session_id,
        vault_id,
        label: input.agent_id,
        named_at: session.created_at,
        named_by: session.created_by,
      })
    return {
      schema: 'knowtation.tool_session_create/v0' as const,
      vault_id,
      session: showSession(session),
      bearer,
    }
  },
})

export function seatFolders(
  { project, service, role }: { project?: string | undefined; service: string; role: string },
  refuse: (reason: string) => never,
) {
  try {
    return resolveSeat({ project, service, role, agent_id: 'new' })
  } catch (error) {
    if (error instanceof SeatInvalid) return refuse(error.message)
    throw error
  }
}
