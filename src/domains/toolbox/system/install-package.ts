import { z } from 'zod'
import type { ToolCall, ToolDeclaration } from '../tool.ts'
import { type PackageRequest, planInstall } from './package-request.ts'
import { checkOutcome, privilegedArgv } from './privileged-command.ts'
import { type SystemRunner, systemRunner } from './system-runner.ts'

const INSTALL_TIMEOUT_MS = 900_000

const Input = z.strictObject({
  // A free text, so that managers of project dependencies can be refused with advice.
  manager: z.string().min(1).max(32).describe('apt, cargo or npm-g'),
  package: z.string().min(1).max(214).describe('The name of one package, without options'),
  version: z.string().min(1).max(128).optional().describe('One exact version; left out: the newest'),
})

const Output = z.strictObject({
  manager: z.string(),
  package: z.string(),
  version: z.string().nullable(),
  command: z.array(z.string()),
  stdout: z.string(),
  stderr: z.string(),
})

/** Installs a program of the machine. */
export function installPackageTool(
  runner: SystemRunner = systemRunner(),
): ToolDeclaration<typeof Input, z.output<typeof Output>> {
  const commandOf = ({ input, policy }: Pick<ToolCall<PackageRequest>, 'input' | 'policy'>) => {
    const { argv, env } = planInstall(input)
    return { argv: privilegedArgv(runner, policy, argv), env }
  }
  return {
    name: 'install_package',
    description:
      'Installs one package on this machine, without asking anything: apt (Debian package), cargo (crate ' +
      'with a program) or npm-g (global npm package, its scripts not run). For infrastructure only: ' +
      'dependencies of a project are refused, use install_dependencies for them. Needs the role sre.',
    effect: 'update',
    open_world: true,
    idempotent: true,
    roles: ['sre'],
    required_role: 'sre',
    critical: true,
    input: Input,
    output: Output,
    check: (call) => void commandOf(call),
    async handle(call) {
      const { argv, env } = commandOf(call)
      const outcome = await runner.run(argv, { env, timeout_ms: INSTALL_TIMEOUT_MS, signal: call.signal })
      checkOutcome(outcome, call.input.manager)
      const { manager, package: name, version = null } = call.input
      return {
        manager,
        package: name,
        version,
        command: argv,
        stdout: outcome.stdout,
        stderr: outcome.stderr,
      }
    },
  }
}
