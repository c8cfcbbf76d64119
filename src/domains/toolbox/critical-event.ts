import type { ToolCall, ToolDeclaration } from './tool.ts'
import { recordEvent } from './watch/record-event.ts'

type Named = Pick<ToolDeclaration<never, never>, 'name' | 'critical' | 'effect'>

/** Roles whose every deed is on record, not only what they are refused. */
const WATCHED_ROLES: readonly string[] = ['sre', 'release_manager']

/** Whether a call is written to the security stream even though nothing speaks against it. */
export function isOnRecord(tool: Named, role: string): boolean {
  return tool.critical === true || (WATCHED_ROLES.includes(role) && tool.effect !== 'read')
}

/** Writes a critical call to the security stream before it is carried out. */
export async function recordCritical(tool: Named, call: ToolCall<unknown>, vault_id: string): Promise<void> {
  const { role, agent_id } = call.context
  if (!isOnRecord(tool, role)) return
  await recordEvent(call.hub, undefined, call.redactor, {
    kind: 'done',
    vault_id,
    agent_id,
    violation_type: 'critical_action',
    target_path: pathIn(call.input),
    command_args: [tool.name, ...argumentsIn(call.input)],
    severity: 'CRITICAL',
  })
}

/** The path that a call is about, if it names one. */
export function pathIn(input: unknown): string | null {
  const { path, target = path } = (input ?? {}) as { path?: unknown; target?: unknown }
  return typeof target === 'string' ? target : null
}

/** The short values of a call: what was asked for, not whole contents. */
export function argumentsIn(input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return []
  const entries = Object.entries(input).filter(([name]) => !['path', 'target', 'content'].includes(name))
  return entries.filter(([, value]) => typeof value !== 'object').map(([name, value]) => `${name}=${value}`)
}
