import { ToolFault, type Violation } from '../tool-fault.ts'
import type { CommandCall } from './command-call.ts'
import { MANIFEST_BYTES_MAX } from './command-limits.ts'
import { findForbiddenInstall, findInstallInText } from './forbidden-install.ts'

/** Checks that a configured command is one that this project and this task may run. */
export function checkCommand(call: CommandCall, argv: readonly string[]): void {
  const [program = ''] = argv
  const { whitelisted_binaries } = call.policy
  if (!whitelisted_binaries.includes(program)) {
    throw refused(
      `The project does not allow the program ${program}.`,
      'Ask the owner to name it in tools.whitelisted_binaries of .flow/config.json.',
      whitelistViolation(argv),
    )
  }
  checkAllowedForTask(call, argv)
  checkNoInstall(argv)
}

/** Checks a program against the list that a task may come with. */
export function checkAllowedForTask({ context }: CommandCall, argv: readonly string[]): void {
  const [program = ''] = argv
  if (context.allowed_commands === undefined || context.allowed_commands.includes(program)) return
  throw refused(
    `This task may not run ${program}.`,
    `Allowed for it: ${context.allowed_commands.join(', ') || 'no command at all'}.`,
    whitelistViolation(argv),
  )
}

/** Looks into the scripts that `npm test` or `npm run` would start. */
export function checkScripts(call: CommandCall, argv: readonly string[]): void {
  const scripts = argv[0] === 'npm' ? scriptsOf(call) : {}
  for (const name of scriptNames(argv)) {
    const found = findInstallInText(String(scripts[name] ?? ''))
    if (found !== undefined) throw installRefused(found, [...argv, String(scripts[name])])
  }
}

function checkNoInstall(argv: readonly string[]): void {
  const found = findForbiddenInstall(argv)
  if (found !== undefined) throw installRefused(found, argv)
}

function installRefused(found: string, argv: readonly string[]): ToolFault {
  return refused(
    `\`${found}\` is not allowed: dependencies come from the lockfile alone.`,
    'Use install_dependencies, which runs npm ci, poetry install or cargo fetch --locked.',
    { violation_type: 'dangerous_command', target_path: null, command_args: argv },
  )
}

function scriptNames(argv: readonly string[]): string[] {
  const words = argv.slice(1).filter((arg) => !arg.startsWith('-'))
  const name = /^run(?:-script)?$/.test(words[0] ?? '')
    ? words[1]
    : /^t(?:e?st)?$/.test(words[0] ?? '')
      ? 'test'
      : undefined
  return name === undefined ? [] : [`pre${name}`, name, `post${name}`]
}

function scriptsOf({ guard }: CommandCall): Record<string, unknown> {
  try {
    const manifest: unknown = JSON.parse(
      guard.readFile('package.json', MANIFEST_BYTES_MAX).bytes.toString('utf8'),
    )
    const scripts = (manifest as { scripts?: unknown } | null)?.scripts
    return typeof scripts === 'object' && scripts !== null ? { ...scripts } : {}
  } catch {
    return {} // npm itself will say what is wrong with it.
  }
}

function whitelistViolation(argv: readonly string[]): Violation {
  return { violation_type: 'command_whitelist', target_path: null, command_args: argv }
}

function refused(message: string, suggestion: string, violation: Violation): ToolFault {
  return new ToolFault('PolicyViolation', message, suggestion, { violation })
}
