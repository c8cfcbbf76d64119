import type { ToolRole } from '../tool-context.ts'

/** Who may change the source of a service. */
export const CHANGING_ROLES: readonly ToolRole[] = ['dev', 'sre', 'release_manager']
