import type { CommandOutcome } from '../../../platform/sandbox/sandbox.ts'
import type { ProjectPolicy } from '../policy/project-policy.ts'
import { ToolFault } from '../tool-fault.ts'
import { findBinary } from './find-binary.ts'
import type { SystemRunner } from './system-runner.ts'

/** The absolute path of a program that a tool needs. */
export function requireProgram({ path }: SystemRunner, name: string): string {
  const found = findBinary(path, name)
  if (found?.runnable) return found.path
  throw new ToolFault(
    'NotConfigured',
    `${name} is not installed on this machine.`,
    `Ask the owner to install ${name}, or use another manager.`,
  )
}

/** The argument list of a command that needs root: itself, or through `sudo -n` where the owner lists its program. */
export function privilegedArgv(
  runner: SystemRunner,
  { sudo_binaries }: Pick<ProjectPolicy, 'sudo_binaries'>,
  [name = '', ...words]: readonly string[],
): string[] {
  if (!runner.is_root && !sudo_binaries.includes(name)) throw sudoDenied(name, words)
  const program = requireProgram(runner, name)
  // Without a password to ask for, sudo either may or fails; the path keeps to what the owner allowed.
  return runner.is_root
    ? [program, ...words]
    : [requireProgram(runner, 'sudo'), '-n', '--', program, ...words]
}

function sudoDenied(name: string, words: readonly string[]): ToolFault {
  return new ToolFault(
    'PolicyViolation',
    `${name} needs root, and the owner has not allowed it through sudo.`,
    `Ask the owner to add "${name}" to sudo.binaries in .flow/config.json and to the machine's sudoers.`,
    {
      violation: { violation_type: 'sudo_not_allowed', target_path: null, command_args: [name, ...words] },
    },
  )
}

/** Refuses what did not end as it should, with what the command had to say. */
export function checkOutcome(outcome: CommandOutcome, name: string, accepted: readonly number[] = [0]): void {
  const { ended, exit_code, signal, stdout, stderr, dropped_bytes } = outcome
  if (ended === 'finished' && exit_code !== null && accepted.includes(exit_code)) return
  const details = { exit_code, signal, stdout, stderr, dropped_bytes }
  const ends = {
    finished: ['CommandFailed', `${name} failed with ${signal ?? `exit code ${exit_code}`}.`],
    timeout: ['Timeout', `${name} took too long and was stopped.`],
    output_limit: ['OutputLimitExceeded', `${name} wrote too much and was stopped.`],
    cancelled: ['CommandFailed', `${name} was stopped because nobody waits for it any more.`],
  } as const
  const [code, message] = ends[ended]
  throw new ToolFault(code, message, 'Read stderr in the details, mend the cause, then try again.', {
    details,
  })
}
