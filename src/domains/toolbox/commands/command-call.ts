import type { Hub } from '../../../operations/hub.ts'
import type { ToolCall } from '../tool.ts'
import type { ToolRole } from '../tool-context.ts'

/** What the command tools use of a call. */
export type CommandCall = Pick<
  ToolCall<unknown>,
  'context' | 'policy' | 'guard' | 'sandbox' | 'signal' | 'redactor'
> & {
  readonly hub: Pick<Hub, 'home' | 'env'>
}

/** Who may run commands in a service: everybody who works on its source. */
export const COMMAND_ROLES: readonly ToolRole[] = ['dev', 'sre', 'release_manager']
