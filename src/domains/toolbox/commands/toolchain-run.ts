import { z } from 'zod'
import { findProgram } from '../../../platform/basics/find-program.ts'
import type { Toolchain, ToolchainCommand } from '../policy/project-policy.ts'
import { ToolFault } from '../tool-fault.ts'
import { checkCommand, checkScripts } from './check-command.ts'
import type { CommandCall } from './command-call.ts'
import { TARGET_CHARACTERS_MAX } from './command-limits.ts'
import type { Truncation } from './cut-output.ts'
import { programPlaces } from './program-places.ts'
import { type CommandReport, runCommand } from './run-command.ts'

/** The target of a test or lint run, as an argument of a tool. */
export const Target = z
  .string()
  .min(1)
  .max(TARGET_CHARACTERS_MAX)
  .describe('File or folder in your service, or `.` for all of it')

/** What test and lint runs answer. */
export const CommandOutput = z.strictObject({
  stdout: z.string(),
  stderr: z.string(),
  exit_code: z.int().nullable(),
  notice: z.string().nullable().describe('Says what was cut out of the output'),
})

const PLACE = '{target}'

/** Checks a run of a configured command; nothing is started. */
export function checkToolchainRun(call: CommandCall, kind: keyof Toolchain, target: string): void {
  checkTarget(call, target)
  // With the target in its place: it may make a forbidden command of a harmless one.
  const argv = withTarget(requireToolchain(call, kind).argv, target)
  checkCommand(call, argv)
  checkScripts(call, argv)
}

/** Runs the command that the project has configured for the service. */
export async function runToolchain(
  call: CommandCall,
  kind: keyof Toolchain,
  target: string,
  truncation: Truncation,
): Promise<CommandReport> {
  checkToolchainRun(call, kind, target)
  const { argv, env, timeout_seconds } = requireToolchain(call, kind)
  const places = programPlaces(call.hub.env)
  const [program = '', ...args] = withTarget(argv, target)
  return runCommand(call, {
    places,
    needs: { env },
    // One that is not the system's is left to the PATH inside, where the service's own programs are too.
    argv: [findProgram(places.folders, program) ?? program, ...args],
    timeout_ms: timeout_seconds * 1000,
    truncation,
  })
}

function checkTarget({ guard }: CommandCall, target: string): void {
  if (/^[-@+]/.test(target)) {
    throw new ToolFault(
      'ValidationError',
      `The target ${JSON.stringify(target)} looks like an option.`,
      'Give a file or folder of your service; put ./ before a name that begins with a sign.',
      { violation: { violation_type: 'test_scope', target_path: target, command_args: [] } },
    )
  }
  guard.locate(target)
}

function requireToolchain({ policy, context }: CommandCall, kind: keyof Toolchain): ToolchainCommand {
  const command = policy.toolchainOf(context.service_root)[kind]
  if (command !== undefined) return command
  throw new ToolFault(
    'NotConfigured',
    `No ${kind} command is configured for this service.`,
    `Ask the owner to add one to .flow/config.json, for example: ${exampleOf(kind)}`,
  )
}

function exampleOf(kind: keyof Toolchain): string {
  const command = kind === 'test' ? ['pytest', PLACE] : ['npm', 'run', 'lint', '--', PLACE]
  return JSON.stringify({ toolchains: { '*': { [kind]: { command } } } })
}

/** Puts the target where the command says; without a place for it, at the end, and `.` nowhere. */
function withTarget(argv: readonly string[], target: string): string[] {
  if (argv.some((arg) => arg.includes(PLACE))) return argv.map((arg) => arg.replaceAll(PLACE, () => target))
  return target === '.' ? [...argv] : [...argv, target]
}
