import { ToolFault } from '../tool-fault.ts'
import type { GitCall } from './git-run.ts'
import { type Repository, requireRepository } from './repository.ts'

/** Roles that work on the source of a service. */
export const SOURCE_ROLES = ['dev', 'sre', 'release_manager'] as const

/** Finds the repository of a call, where the task may run git at all. */
export function openRepository(call: Pick<GitCall, 'context'>, tool: string): Repository {
  const { allowed_commands } = call.context
  if (allowed_commands !== undefined && !allowed_commands.includes('git')) {
    throw new ToolFault(
      'PolicyViolation',
      'This task may not run git.',
      'Work without git, or ask for a task whose allowed commands name it.',
      {
        violation: { violation_type: 'command_whitelist', target_path: null, command_args: ['git', tool] },
      },
    )
  }
  return requireRepository(call.context)
}
