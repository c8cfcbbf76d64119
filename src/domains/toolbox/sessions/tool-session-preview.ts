import { z } from 'zod'
import { hasAuthority, hubOwner } from '../../../operations/authority.ts'
import { defineOperation, type Operation } from '../../../operations/define-operation.ts'
import { toolboxCaller } from '../../../platform/identity/caller.ts'
import { seatFolders, seatInput } from './tool-session-create.ts'

const SeatTool = z.strictObject({
  name: z.string(),
  effect: z.enum(['read', 'create', 'update', 'delete']),
  allowed: z.boolean(),
  reaches_out: z.boolean().describe('Whether it can reach other machines'),
})

/** What a seat would allow, judged as its calls would be. */
export function toolSessionPreview(tools: readonly Operation[]) {
  return defineOperation({
    name: 'tool_session_preview',
    summary: 'Show what a seat in the toolbox would allow, and what not. Nothing is made.',
    effect: 'read',
    authority: hubOwner(),
    whileLocked: true,
    rest: 'GET /api/v1/tool-sessions/preview',
    cli: 'tool session preview',
    errors: {},
    input: z.strictObject(seatInput),
    output: z.strictObject({
      schema: z.literal('knowtation.tool_session_preview/v0'),
      vault_id: z.string(),
      project_root: z.string(),
      service_root: z.string(),
      role: z.string(),
      isolation_level: z.enum(['STRICT', 'SHARED']).nullable().describe("Null leaves the project's own"),
      allowed_commands: z.array(z.string()).nullable().describe('Null allows each that the project lists'),
      expires_at: z.string(),
      tools: z.array(SeatTool),
    }),
    async handle({ input, vault_id, now, refuse }) {
      const seat = seatFolders(input, (reason) => refuse('BAD_REQUEST', reason))
      const caller = toolboxCaller('-', vault_id, seat, 'other')
      const { project_root, service_root, role } = seat
      return {
        schema: 'knowtation.tool_session_preview/v0' as const,
        vault_id,
        project_root,
        service_root,
        role,
        isolation_level: input.isolation_level ?? null,
        allowed_commands: input.allowed_commands ?? null,
        expires_at: new Date(now.getTime() + input.ttl_seconds * 1_000).toISOString(),
        tools: tools.map(({ name, effect, authority, openWorld }) => ({
          name,
          effect,
          allowed: hasAuthority(authority, caller),
          reaches_out: openWorld,
        })),
      }
    },
  })
}
