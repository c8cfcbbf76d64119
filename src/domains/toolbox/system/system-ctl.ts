import { z } from 'zod'
import { UNIT_NAME } from '../policy/config-names.ts'
import type { ToolCall, ToolDeclaration } from '../tool.ts'
import { ToolFault } from '../tool-fault.ts'
import { checkOutcome, privilegedArgv, requireProgram } from './privileged-command.ts'
import { type SystemRunner, systemRunner } from './system-runner.ts'

const CONTROL_TIMEOUT_MS = 120_000
/** A unit that is not running is an answer; one that is not known is none. */
const STATUS_CODES = [0, 1, 2, 3]

const Input = z.strictObject({
  service: z.string().regex(UNIT_NAME).describe('A unit that .flow/config.json lists under system.services'),
  action: z.enum(['status', 'restart']).describe('status or restart'),
})

const Output = z.strictObject({
  service: z.string(),
  action: z.string(),
  /** Only `status` tells. */
  active: z.boolean().nullable(),
  stdout: z.string(),
  stderr: z.string(),
})

type Call = Pick<ToolCall<z.output<typeof Input>>, 'input' | 'policy'>

/** Asks about or restarts a service of the machine. */
export function systemCtlTool(
  runner: SystemRunner = systemRunner(),
): ToolDeclaration<typeof Input, z.output<typeof Output>> {
  const argvOf = ({ input: { service, action }, policy }: Call) => {
    if (!policy.system_services.includes(service)) throw serviceDenied(service, action)
    const words = ['--no-ask-password', '--no-pager', action, '--', service]
    return action === 'restart'
      ? privilegedArgv(runner, policy, ['systemctl', ...words])
      : [requireProgram(runner, 'systemctl'), ...words]
  }
  return {
    name: 'system_ctl',
    description:
      'Shows the status of a service of this machine, or restarts it. Only services that the owner lists ' +
      'under system.services in .flow/config.json; nothing can be started, stopped or enabled. Needs the role sre.',
    effect: 'update',
    roles: ['sre'],
    required_role: 'sre',
    critical: true,
    input: Input,
    output: Output,
    check: (call) => void argvOf(call),
    async handle(call) {
      const { service, action } = call.input
      const outcome = await runner.run(argvOf(call), { timeout_ms: CONTROL_TIMEOUT_MS, signal: call.signal })
      checkOutcome(outcome, 'systemctl', action === 'status' ? STATUS_CODES : [0])
      const active = action === 'status' ? outcome.exit_code === 0 : null
      return { service, action, active, stdout: outcome.stdout, stderr: outcome.stderr }
    },
  }
}

function serviceDenied(service: string, action: string): ToolFault {
  return new ToolFault(
    'PolicyViolation',
    'The service is not one that agents may ask about or restart.',
    'Ask the owner to add it to system.services in .flow/config.json.',
    {
      violation: {
        violation_type: 'service_not_allowed',
        target_path: null,
        command_args: ['systemctl', action, service],
      },
    },
  )
}
